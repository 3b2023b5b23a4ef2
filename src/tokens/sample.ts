import { PIECE_UNITS, pieces } from './pieces.ts';

/**
 * A sample says something of the rest when it is a twentieth of it, and four pieces or half of it:
 * how far off it is then, docs/ACCURACY.md shows.
 */
const FAIR_SHARE = 0.05;
const FAIR_UNITS = 4 * PIECE_UNITS;
/** How much is counted between two looks at the budget: a millisecond or two, whatever stands in it. */
const LOOK_UNITS = 1_024;
/** What a piece costs beside its text, in units. */
const PIECE_COST_UNITS = 16;

export interface Counting {
  /** Tokens of one piece of text. */
  count(piece: string): number;
  readonly isOver: boolean;
}

export interface TextCounts {
  /** One for each text. */
  tokens: number[];
  /** Not everything was counted: the rest is extrapolated. */
  isExtrapolated: boolean;
}

/** A text on its way through the count. */
interface Progress {
  units: number;
  countedUnits: number;
  tokens: number;
}

/**
 * Counts texts, each by itself, until all are counted or the budget is over. Pieces are taken in an
 * order that is spread evenly over everything, since their sum does not depend on it: so that what was
 * counted when the budget is over is a sample of the whole and not its beginning, and says how many
 * tokens the rest has. Null when that is not a fair part.
 */
export function countTexts(texts: readonly string[], counting: Counting): TextCounts | null {
  const all = texts.map((text): Progress => ({ units: text.length, countedUnits: 0, tokens: 0 }));
  const work = all.flatMap((of, index) => [...pieces(texts[index] ?? '')].map((piece) => ({ piece, of })));
  let sinceLook = LOOK_UNITS;
  for (const { piece, of } of spread(work)) {
    if (sinceLook >= LOOK_UNITS) {
      if (counting.isOver) return extrapolated(all);
      sinceLook = 0;
    }
    of.tokens += counting.count(piece);
    of.countedUnits += piece.length;
    sinceLook += piece.length + PIECE_COST_UNITS;
  }
  return { tokens: all.map(({ tokens }) => tokens), isExtrapolated: false };
}

/** Each text by what was counted of it, or where that is too little, by what was counted of all. */
function extrapolated(all: readonly Progress[]): TextCounts | null {
  const whole = { units: 0, countedUnits: 0, tokens: 0 };
  for (const { units, countedUnits, tokens } of all) {
    whole.units += units;
    whole.countedUnits += countedUnits;
    whole.tokens += tokens;
  }
  if (!isFair(whole)) return null;
  const tokens = all.map((text) => {
    const sample = isFair(text) ? text : whole;
    return Math.round(text.tokens + ((text.units - text.countedUnits) * sample.tokens) / sample.countedUnits);
  });
  return { tokens, isExtrapolated: true };
}

function isFair({ units, countedUnits }: Progress): boolean {
  return countedUnits > 0 && countedUnits >= Math.max(FAIR_SHARE * units, Math.min(units / 2, FAIR_UNITS));
}

/** The golden ratio: multiples of it, taken modulo one, fill the interval most evenly. */
const STRIDE_SHARE = (Math.sqrt(5) - 1) / 2;

/** Every element once, in an order any beginning of which is spread over all. */
function* spread<T>(list: readonly T[]): Generator<T, void> {
  const { length } = list;
  let stride = Math.max(1, Math.round(STRIDE_SHARE * length));
  while (commonDivisor(stride, length) > 1) stride += 1;
  for (let step = 0, place = 0; step < length; step += 1, place = (place + stride) % length) {
    const element = list[place];
    if (element !== undefined) yield element;
  }
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
