import { array, object, parseObject, string } from './json.ts';
import type { MemberPlace } from './json-scan.ts';

/** The prompt comes back as text, before the output. */
export interface PromptEcho {
  /** One for each `n` choices. Null where it is no text (token ids), or was not read to its end. */
  texts: readonly string[] | null;
  /** The request says so. False: the server may do it unasked, in answers that are not streamed. */
  isAsked: boolean;
}

/** Top-level keys that tell of an echo, or hold what may be echoed. */
const KEYS = [
  'echo',
  'prompt',
  'messages',
  'add_generation_prompt',
  'text_input',
  'exclude_input_in_output',
  'inputs',
  'parameters',
] as const;
type Key = (typeof KEYS)[number];
const IS_KEY: ReadonlySet<unknown> = new Set(KEYS);

/** A shorter prompt can stand before an output by chance. */
const LEAST_UNASKED = 16;

/**
 * Finds out whether a request has its prompt sent back. The values are only noted while the body is scanned,
 * and parsed where they matter: a prompt is long, and echoes are rare.
 */
export class PromptEchoScan {
  readonly #body: Buffer;
  readonly #values = new Map<Key, { from: number; to: number }>();

  constructor(body: Buffer) {
    this.#body = body;
  }

  see(key: unknown, place: Readonly<MemberPlace>): void {
    if (isKey(key)) this.#values.set(key, { from: place.valueStart, to: place.valueEnd });
  }

  get result(): PromptEcho | null {
    if (this.#values.size === 0) return null;
    if (this.#read('echo') === true) return this.#asked();
    return this.#ofTriton() ?? this.#ofTgi();
  }

  /** Completions send a prompt back, or several; a chat what its last message began, if the answer goes on with it. */
  #asked(): PromptEcho | null {
    const isChat = this.#values.has('messages') && !this.#values.has('prompt');
    const found = isChat ? this.#lastMessage() : texts(this.#read('prompt'));
    return isChat && found === null ? null : { texts: found, isAsked: true };
  }

  /** vLLM: one of the role in which it answers, which is the assistant's unless no turn of its own is opened. */
  #lastMessage(): readonly string[] | null {
    const last = object(array(this.#read('messages')).at(-1));
    const opensTurn = this.#read('add_generation_prompt') !== false;
    if (opensTurn && last?.['role'] !== 'assistant') return null;
    const content = last?.['content'];
    const parts = array(content).map((part) => string(object(part)?.['text']));
    return texts(parts.length > 0 ? parts.filter((text) => text !== '').join('\n') : content);
  }

  /** Its backends send the prompt back unless they are told not to: vLLM's where it does not stream, TensorRT-LLM's by configuration. */
  #ofTriton(): PromptEcho | null {
    if (!this.#values.has('text_input')) return null;
    const excludes = this.#read('exclude_input_in_output');
    if (excludes === true) return null;
    const prompts = texts(this.#read('text_input'));
    return prompts === null ? null : { texts: prompts, isAsked: excludes === false };
  }

  /** `return_full_text`; the root path does it by default. */
  #ofTgi(): PromptEcho | null {
    if (!this.#values.has('inputs')) return null;
    const full = object(this.#read('parameters'))?.['return_full_text'];
    const prompt = string(this.#read('inputs'));
    const isPossible = full === true || (full !== false && prompt.length >= LEAST_UNASKED);
    return isPossible && prompt !== '' ? { texts: [prompt], isAsked: false } : null;
  }

  #read(key: Key): unknown {
    const place = this.#values.get(key);
    if (place === undefined) return undefined;
    return parseObject(`{"value":${this.#body.toString('utf8', place.from, place.to)}}`)?.['value'];
  }
}

function isKey(key: unknown): key is Key {
  return IS_KEY.has(key);
}

/** A text or a list of texts; null for anything else. */
function texts(value: unknown): readonly string[] | null {
  const list = array(typeof value === 'string' ? [value] : value);
  const found = list.filter((item) => typeof item === 'string');
  return found.length > 0 && found.length === list.length ? found : null;
}
