import type { PromptEcho } from '../wire/prompt-echo.ts';

/** So many characters of the prompt are no chance. */
const WITNESSES = 16;

/**
 * Takes the prompt out of an answer that sends it back before its output: the prompt is no output, and its
 * arrival no token. Of a stream it may come in pieces, or in one piece with the first token. Only what is seen to be
 * the prompt is taken: a server may not do as it was asked, and of a prompt of token ids nobody here knows the text.
 */
export class EchoedPrompt {
  readonly isAsked: boolean;
  readonly #texts: readonly string[] | null;
  readonly #choicesPerPrompt: number;
  /** How much of its prompt each choice has sent back. */
  readonly #places = new Map<number, number>();

  constructor(echo: PromptEcho, choicesPerPrompt: number) {
    this.isAsked = echo.isAsked;
    this.#texts = echo.texts;
    this.#choicesPerPrompt = Math.max(1, choicesPerPrompt);
  }

  /** What of the next text of this choice the model wrote. */
  rest(choice: number, text: string): string {
    const place = this.#places.get(choice) ?? 0;
    if (place === Number.POSITIVE_INFINITY) return text;
    const prompt = this.#promptOf(choice);
    if (this.isAsked && prompt.startsWith(text, place) && place + text.length < prompt.length) {
      this.#places.set(choice, place + text.length);
      return '';
    }
    this.#places.set(choice, Number.POSITIVE_INFINITY);
    return behindPrompt(text, prompt, place);
  }

  /** The choice has ended: what it wrote, if all of it was a beginning of the prompt by chance. */
  restAtEnd(choice: number): string {
    const place = this.#places.get(choice) ?? 0;
    this.#places.set(choice, Number.POSITIVE_INFINITY);
    return place < WITNESSES ? this.#promptOf(choice).slice(0, place) : '';
  }

  #promptOf(choice: number): string {
    return this.#texts?.[Math.floor(choice / this.#choicesPerPrompt)] ?? '';
  }
}

function behindPrompt(text: string, prompt: string, place: number): string {
  const expected = prompt.slice(place);
  if (text.startsWith(expected)) return text.slice(expected.length);
  // It only began like the prompt, by chance: that was output. Or the server writes the prompt a bit otherwise.
  if (place > 0) return place < WITNESSES ? prompt.slice(0, place) + text : text;
  // A mark of the beginning may stand before it.
  const at = prompt.length < WITNESSES ? -1 : text.slice(0, WITNESSES + prompt.length).indexOf(prompt);
  return at < 0 ? text : text.slice(at + prompt.length);
}
