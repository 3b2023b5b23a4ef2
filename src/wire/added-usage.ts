import { asBuffer } from './framing/byte-store.ts';
import { type JsonObject, object, parseObject } from './json.ts';
import { UsageChunkScan } from './usage-chunk-scan.ts';

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const DATA = Buffer.from('data:');
const USAGE = Buffer.from('"usage"');
/** The usual ways to say that there is none. */
const NONE = [Buffer.from(':null'), Buffer.from(': null')];
/** How a letter of ASCII begins when it is escaped. */
const ESCAPE = Buffer.from('\\u00');
/** What the chunks of a completion call themselves, where they say it. */
const CHUNKS: ReadonlySet<unknown> = new Set(['chat.completion.chunk', 'text_completion', undefined]);
/** First letters of the fields that an event may carry beside its data: event, id, retry. */
const OTHER_FIELDS = new Set([0x65, 0x69, 0x72]);
/** A usage chunk has some hundred bytes; what is longer and still undecided is passed on. */
const MAX_HELD_BYTES = 16 * 1024;
const NOTHING = Buffer.alloc(0);

type LineKind = 'comment' | 'data' | 'other';

/**
 * Takes the usage chunk that Pitot asked for out of a stream of server-sent events (CONTRACT §6.6):
 * the event whose data is an object with a `usage` and nothing in its `choices`. Everything else
 * comes out as it went in, in the read in which it came: of an unfinished event only what can still
 * become that chunk is held, and comments never with nothing before them.
 */
export class AddedUsageRemover {
  removed = 0;
  readonly #scan = new UsageChunkScan();
  /** Earlier reads' part of the current event. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** The current event can still be the one. */
  #isWatched = true;
  /** The current event has a line that is no comment. */
  #hasFields = false;
  #kind: LineKind = 'other';
  #lineBytes = 0;
  /** The last read ended in CR: an LF at the start of the next belongs to it, and goes or stays with it. */
  #afterCr: 'kept' | 'removed' | null = null;

  /** What goes on to the client now. */
  push(bytes: Uint8Array): Buffer {
    const read = asBuffer(bytes);
    if (!this.#hasFields && this.#lineBytes === 0 && this.#afterCr === null && isOrdinary(read)) return read;
    const out: Buffer[] = [];
    let at = this.#afterCr !== null && read[0] === LF ? 1 : 0;
    let kept = this.#afterCr === 'removed' ? at : 0;
    /** Where the current event begins in this read. */
    let start = this.#hasFields ? 0 : at;
    if (read.length > 0) this.#afterCr = null;
    while (at < read.length) {
      const end = this.#lineEnd(read, at);
      this.#look(read, at, end);
      if (!this.#isWatched) this.#release(out);
      if (end === read.length) break;
      const isBlank = this.#lineBytes === 0;
      at = this.#afterLine(read, end);
      if (isBlank && this.#hasFields && this.#isWatched) {
        const left = withoutUsage(Buffer.concat([...this.#held, read.subarray(start, at)]));
        if (left === null) this.#release(out);
        else {
          this.#drop(out, [read.subarray(kept, start), left]);
          kept = at;
        }
      }
      if (isBlank) this.#nextEvent();
      if (!this.#hasFields) start = at;
    }
    if (!this.#hasFields) start = read.length;
    return this.#deliver(read, { out, kept, start });
  }

  /** The stream is over: what is held comes out, unless it is the whole chunk without the blank line behind it. */
  end(): Buffer {
    const rest = Buffer.concat(this.#held);
    const left = rest.length === 0 ? null : withoutUsage(rest);
    this.#held = [];
    if (left === null) return rest;
    this.removed += 1;
    return left;
  }

  #lineEnd(read: Buffer, from: number): number {
    const lf = read.indexOf(LF, from);
    const to = lf < 0 ? read.length : lf;
    const cr = read.subarray(from, to).indexOf(CR);
    return cr < 0 ? to : from + cr;
  }

  /** The place behind a line end, of whatever kind; the next line begins there. */
  #afterLine(read: Buffer, end: number): number {
    this.#lineBytes = 0;
    const next = end + 1;
    if (read[end] === LF) return next;
    if (next < read.length) return read[next] === LF ? next + 1 : next;
    this.#afterCr = 'kept';
    return next;
  }

  #look(read: Buffer, from: number, to: number): void {
    if (from === to) return;
    if (this.#lineBytes === 0) this.#begin(read[from] ?? 0);
    let at = from;
    if (this.#isWatched && this.#kind === 'data') {
      for (let place = this.#lineBytes; at < to && place < DATA.length && this.#isWatched; at += 1, place += 1) {
        this.#isWatched = read[at] === DATA[place];
      }
      this.#scan.push(read, at, to);
      if (this.#scan.isRuledOut) this.#isWatched = false;
    }
    this.#lineBytes += to - from;
  }

  #begin(first: number): void {
    if (first === COLON) {
      this.#kind = 'comment';
      return;
    }
    this.#hasFields = true;
    this.#kind = first === DATA[0] ? 'data' : 'other';
    if (this.#kind === 'other' && !OTHER_FIELDS.has(first)) this.#isWatched = false;
  }

  #nextEvent(): void {
    this.#isWatched = true;
    this.#hasFields = false;
    this.#scan.reset();
  }

  #drop(out: Buffer[], instead: readonly Buffer[]): void {
    this.removed += 1;
    this.#held = [];
    this.#heldBytes = 0;
    out.push(...instead);
    if (this.#afterCr !== null) this.#afterCr = 'removed';
  }

  #release(out: Buffer[]): void {
    if (this.#held.length === 0) return;
    out.push(...this.#held);
    this.#held = [];
    this.#heldBytes = 0;
  }

  #deliver(read: Buffer, { out, kept, start }: { out: Buffer[]; kept: number; start: number }): Buffer {
    const undecided = this.#isWatched ? read.length - start : 0;
    if (undecided > 0 && this.#heldBytes + undecided > MAX_HELD_BYTES) {
      this.#isWatched = false;
      this.#release(out);
    }
    const to = this.#isWatched ? start : read.length;
    if (to < read.length) {
      this.#held.push(read.subarray(to));
      this.#heldBytes += undecided;
    }
    if (out.length === 0) return kept === 0 && to === read.length ? read : read.subarray(kept, to);
    out.push(read.subarray(kept, to));
    return Buffer.concat(out);
  }
}

/**
 * Whole events, none of which can report usage: most reads are, and this is ten times as fast as
 * following them. A key may be written in escapes, so an escape that could stand in one counts as one.
 */
function isOrdinary(read: Buffer): boolean {
  const { length } = read;
  const endsBlank = read[length - 2] === LF || (read[length - 2] === CR && read[length - 3] === LF);
  if (read[length - 1] !== LF || !endsBlank || read.includes(ESCAPE)) return false;
  for (let at = read.indexOf(USAGE); at >= 0; at = read.indexOf(USAGE, at + USAGE.length)) {
    const value = at + USAGE.length;
    if (!NONE.some((none) => read.subarray(value, value + none.length).equals(none))) return false;
  }
  return true;
}

/** The comments of an event that is a usage chunk; null when it is none. */
function withoutUsage(event: Buffer): Buffer | null {
  const lines = event.toString('latin1').match(/[^\r\n]+(?:\r\n|\r|\n)?/g) ?? [];
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(DATA.length));
  const message = parseObject(Buffer.from(data.join('\n'), 'latin1').toString('utf8'));
  if (message === null || !isUsageChunk(message)) return null;
  const comments = lines.filter((line) => line.startsWith(':')).join('');
  return comments === '' ? NOTHING : Buffer.from(comments, 'latin1');
}

/** Says nothing but how much was used: what an error or a content filter says would have come unasked. */
function isUsageChunk(message: JsonObject): boolean {
  if (object(message['usage']) === null || message['error'] || !isEmpty(message['prompt_filter_results'])) return false;
  const choices = message['choices'];
  // Without the list, an event of another kind is told by what it calls itself.
  return choices === undefined ? CHUNKS.has(message['object']) && message['type'] === undefined : isEmpty(choices);
}

function isEmpty(list: unknown): boolean {
  return list === undefined || list === null || (Array.isArray(list) && list.length === 0);
}
