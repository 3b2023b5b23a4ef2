/**
 * Cuts text so that no step of counting is long: each piece is tokenized by itself, and between two
 * pieces the time budget is looked at. A cut at a place where every pattern splits anyway changes no
 * count; only where `limit` characters hold no such place (one unbroken run) is the count off by a
 * token or two per cut.
 */

/** UTF-16 units of one piece: at most a few milliseconds of work, whatever stands in it. */
export const PIECE_UNITS = 4_096;

/**
 * Where the splitting patterns of all encodings (js-tiktoken's `pat_str`) start a new word, whatever
 * else stands around: before a space that follows no white space, and after a letter or digit before
 * a sign that joins no word. Excluded are marks, which o200k counts as letters, and the apostrophe,
 * which begins a contraction. Line ends are no such place: some patterns draw them to what stands
 * before, others to what follows.
 */
const SPLIT = /(?<=\S) |(?<=[\p{L}\p{N}])[^\s\p{L}\p{N}\p{M}']/uy;

/** The pieces of `text`, in order and without loss, each of 1 to `limit` (at least 2) UTF-16 units. */
export function* pieces(text: string, limit: number = PIECE_UNITS): Generator<string, void> {
  let start = 0;
  while (text.length - start > limit) {
    const end = cut(text, start, start + limit);
    yield text.slice(start, end);
    start = end;
  }
  if (start < text.length) yield text.slice(start);
}

/** Whether counting both sides of `index` apart gives the same sum in every encoding. */
export function splitsAt(text: string, index: number): boolean {
  if (isInsidePair(text, index)) return false;
  SPLIT.lastIndex = index;
  return SPLIT.test(text);
}

/** The last place in (from, to] where the patterns split, else `to`, but never inside a surrogate pair. */
function cut(text: string, from: number, to: number): number {
  for (let index = to; index > from; index -= 1) {
    if (splitsAt(text, index)) return index;
  }
  return isInsidePair(text, to) ? to - 1 : to;
}

function isInsidePair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
