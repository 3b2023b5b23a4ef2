import fc from 'fast-check';

/** How a JSON text is written: which of the writer's choices come next, over and over. */
export interface Hand {
  readonly blanks: readonly string[];
  /** One in so many letters of a key or text is escaped; 0: none that need not be. */
  readonly escapeEach: number;
}

export const hand: fc.Arbitrary<Hand> = fc.record({
  blanks: fc.array(fc.constantFrom('', '', ' ', '\n', '\t', '\r\n', '    '), { minLength: 1, maxLength: 5 }),
  escapeEach: fc.constantFrom(0, 0, 2, 5),
});

/** Numbers that a parser of doubles does not give back as they were written. */
export const oddNumber = fc.constantFrom(
  '12345678901234567890',
  '1e400',
  '-0.0',
  '1.0',
  '1E+2',
  '0.1e-7',
  '9007199254740993',
);

/** A member with its value as JSON text. */
export type Member = readonly [key: string, json: string];

/** The object, members in their order and as often as they are given, in this hand. */
export function written(members: readonly Member[], { blanks, escapeEach }: Hand): string {
  let turn = 0;
  const blank = () => {
    turn += 1;
    return blanks[turn % blanks.length] ?? '';
  };
  const text = members.map(
    ([key, json]) => `${blank()}${quoted(key, escapeEach)}${blank()}:${blank()}${json}${blank()}`,
  );
  return `${blank()}{${text.join(',')}${text.length === 0 ? blank() : ''}}${blank()}`;
}

export function quoted(text: string, escapeEach: number): string {
  if (escapeEach === 0) return JSON.stringify(text);
  const letters = [...text].map((letter, at) =>
    at % escapeEach === 0 && letter.length === 1
      ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
      : JSON.stringify(letter).slice(1, -1),
  );
  return `"${letters.join('')}"`;
}
