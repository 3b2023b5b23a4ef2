import fc from 'fast-check';

/** What trips tokenizers: contractions, marks, white space of every kind, scripts without spaces, special tokens, halves of pairs. */
const FRAGMENTS = [
  ' ',
  '  ',
  '\n',
  '\r\n',
  '\t',
  '\u00a0',
  '\u2028',
  "'",
  "'s",
  "'LL",
  "don't",
  '/',
  '.',
  ', ',
  '{"a":1}',
  '=====',
  'the',
  'HTTPServer',
  'Ünïcödé',
  'e\u0301\u0302',
  '\u0301',
  'ǅ',
  'ʰ',
  '1',
  '2026',
  '٣',
  '½',
  '的一是不了',
  '，',
  '。',
  'ひらがなカタカナ',
  'ภาษาไทยที่',
  'हिन्दी',
  '한국어',
  'العربية',
  '😀',
  '👨‍👩‍👧',
  '<|endoftext|>',
  '<|im_start|>',
  '\ud83d',
  '\ude00',
  '\u0000',
  '\ufeff',
];

const fragments = fc
  .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ maxLength: 6 })), { maxLength: 40, size: 'max' })
  .map((parts) => parts.join(''));

/** Any UTF-16 units, half pairs included. */
const units = fc.array(fc.nat(0xffff), { maxLength: 60 }).map((codes) => String.fromCharCode(...codes));

/** Text as models and their users write it, and as they never would. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fragments },
  { weight: 1, arbitrary: units },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
);
