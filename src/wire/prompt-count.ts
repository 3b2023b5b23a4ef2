import { MOST_CHOICES } from './choices.ts';
import { NestedValue, StringEnd } from './framing/nested-value.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;

/**
 * How many prompts the value of `prompt` holds that stands whole at these places: as many as its list has texts,
 * lists or objects (llama.cpp), else one. A number in the list makes it the token ids of one prompt. Nothing is built: prompts are long.
 */
export function countPrompts(body: Uint8Array, from: number, to: number): number {
  if (body[from] !== OPEN_BRACKET) return 1;
  let prompts = 0;
  let at = next(body, from + 1, to);
  while (at < to && body[at] !== CLOSE_BRACKET && prompts < MOST_CHOICES) {
    const end = endOfPrompt(body, at);
    if (end < 0) return 1;
    prompts += 1;
    at = next(body, end, to);
    if (body[at] === COMMA) at = next(body, at + 1, to);
  }
  return Math.max(1, prompts);
}

function endOfPrompt(body: Uint8Array, at: number): number {
  const first = body[at];
  if (first === QUOTE) return new StringEnd().find(body, at + 1);
  return first === OPEN_BRACKET || first === OPEN_BRACE ? new NestedValue().find(body, at) : -1;
}

/** The place of the next byte that is not blank. */
function next(body: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && (body[at] ?? 0) <= 0x20) at += 1;
  return at;
}
