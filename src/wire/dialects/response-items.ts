import { choiceNumber } from '../choices.ts';
import type { Channel, FactSink } from '../facts.ts';
import { array, type JsonObject, object, string } from '../json.ts';
import { say } from './say.ts';

/** What a response is written in, piece by piece: `response.NAME.delta`, then `response.NAME.done` with the whole. */
const WRITTEN = new Map<string, Channel>([
  ['output_text', 'content'],
  ['refusal', 'refusal'],
  ['reasoning_text', 'reasoning'],
  ['reasoning_summary_text', 'summary'],
  ['function_call_arguments', 'tool'],
  ['mcp_call_arguments', 'tool'],
  ['custom_tool_call_input', 'tool'],
  ['code_interpreter_call_code', 'tool'],
  ['shell_call_command', 'tool'],
  ['apply_patch_call_operation_diff', 'tool'],
  ['audio', 'audio'],
  ['audio.transcript', 'audio'],
]);

/** Where a `done` event, or a call, has the whole text. */
const WHOLE = ['text', 'refusal', 'arguments', 'input', 'code', 'command', 'diff'] as const;

/** What an item can tell of. The name of a call stands in no delta. */
type Piece = Channel | 'name';

/**
 * The output of a response. Everything comes up to four times: in deltas, in a `done` for the part,
 * in a `done` for the item and in the response at the end. What deltas told is never told again.
 * Where a server sends no deltas of a kind (LM Studio's tool arguments), the first that holds the
 * text tells it.
 */
export class ResponseItems {
  readonly #sink: FactSink;
  /** Channels of which deltas have come. */
  readonly #streamed = new Set<Piece>();
  /** Places of the items that told a piece without deltas. */
  readonly #told = new Map<Piece, Set<number>>();

  constructor(sink: FactSink) {
    this.#sink = sink;
  }

  read(event: JsonObject, type: string): void {
    const item = object(event['item']);
    const place = choiceNumber(event['output_index'], 0);
    if (item !== null) this.#readItem(item, place, type.endsWith('.done'));
    else if (type.endsWith('.delta')) this.#readDelta(channelOf(type, '.delta'), event['delta']);
    else if (type.endsWith('.done')) {
      const channel = channelOf(type, '.done');
      if (channel !== undefined) this.#tell(channel, place, [wholeText(event)]);
    }
  }

  /** The items of an answer that comes in one piece, or at the end of a stream that told nothing. */
  readAll(items: readonly unknown[]): void {
    if (this.#streamed.size > 0 || this.#told.size > 0) return;
    for (let place = 0; place < items.length; place += 1) {
      const item = object(items[place]);
      if (item !== null) this.#readItem(item, choiceNumber(undefined, place), true);
    }
  }

  #readDelta(channel: Channel | undefined, delta: unknown): void {
    if (channel === undefined || string(delta) === '') return;
    this.#streamed.add(channel);
    say(this.#sink, channel, delta);
  }

  /** An item that only begins is empty, save for the name of what it calls. */
  #readItem(item: JsonObject, place: number, isDone: boolean): void {
    const type = string(item['type']);
    const isCall = type.endsWith('_call');
    if (isCall) this.#tell('name', place, [item['name']]);
    if (!isDone) return;
    if (isCall) {
      this.#tell('tool', place, [wholeText(item)]);
      return;
    }
    const parts = array(item['content']).map(object);
    const texts = parts.map((part) => part?.['text']);
    this.#tell(type === 'reasoning' ? 'reasoning' : 'content', place, texts);
    this.#tell(
      'refusal',
      place,
      parts.map((part) => part?.['refusal']),
    );
    this.#tell(
      'summary',
      place,
      array(item['summary']).map((part) => object(part)?.['text']),
    );
  }

  #tell(piece: Piece, place: number, texts: readonly unknown[]): void {
    const places = this.#told.get(piece) ?? new Set();
    if (this.#streamed.has(piece) || places.has(place)) return;
    const news = texts.filter((text) => string(text) !== '');
    if (news.length === 0) return;
    this.#told.set(piece, places.add(place));
    for (const text of news) say(this.#sink, piece === 'name' ? 'tool' : piece, text);
  }
}

function channelOf(type: string, suffix: string): Channel | undefined {
  return WRITTEN.get(type.slice('response.'.length, -suffix.length));
}

/** Arguments of a call that runs at the server come as an object. */
function wholeText(holder: JsonObject): unknown {
  const parsed = object(holder['arguments']);
  if (parsed !== null) return Object.keys(parsed).length > 0 ? JSON.stringify(parsed) : '';
  return WHOLE.map((key) => holder[key]).find((text) => string(text) !== '');
}
