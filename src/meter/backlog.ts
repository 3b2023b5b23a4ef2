import { type Stretch, stretchOf } from '../wire/stretch.ts';

/** Reads what waited. Never throws. */
export interface ChunkReader {
  read(bytes: Stretch, atMs: number): void;
}

/** So much waits at most: reading it takes an eighth of a millisecond, or one where no event is like the one before. No answer is relayed meanwhile. */
const MOST_CHUNKS = 512;
const MOST_BYTES = 128 * 1_024;
const NONE = -1;

/** What waits of one answer: a chain of chunks, by their places in the backlog. */
export class Waiting {
  readonly reader: ChunkReader;
  first = NONE;
  last = NONE;

  constructor(reader: ChunkReader) {
    this.reader = reader;
  }
}

/**
 * Chunks of answers that were relayed and are still to be read. What reading one chunk touches lies far
 * apart in memory, and between two chunks of a stream a hundred others come: to fetch it all for each costs
 * several times the work itself. So chunks of running streams are put aside, with their time, and read many at
 * once, those of one answer in a row; whoever looks at what they move has them read first.
 *
 * Their bytes are copied into one block that is used again: kept as they came they would outlive the young
 * generation, and a few bytes can keep a whole read of 64 kB alive.
 */
export class Backlog {
  readonly #schedule: (work: () => void) => void;
  readonly #bytes = Buffer.allocUnsafeSlow(MOST_BYTES);
  /** The chunk that is being read: one object for all, since they are many. */
  readonly #chunk = { ...stretchOf(this.#bytes) };
  /** Of each chunk that waits: when it came, where in the block it ends, and which is the next of its answer. */
  readonly #times = new Float64Array(MOST_CHUNKS);
  readonly #ends = new Uint32Array(MOST_CHUNKS);
  readonly #next = new Int16Array(MOST_CHUNKS);
  #chunks = 0;
  #length = 0;
  /** The answers of which something waits, by their first chunk. */
  #answers: Waiting[] = [];
  /** Once at a time: who looks may empty it long before. */
  #isScheduled = false;

  /** `schedule` runs the work a moment later: how long what nobody looks at may wait. */
  constructor(schedule: (work: () => void) => void) {
    this.#schedule = schedule;
  }

  add(answer: Waiting, bytes: Uint8Array, atMs: number): void {
    const size = bytes.length;
    if (this.#chunks === MOST_CHUNKS || this.#length + size > MOST_BYTES) this.catchUp();
    if (size > MOST_BYTES) {
      answer.reader.read(stretchOf(bytes), atMs);
      return;
    }
    const place = this.#chunks;
    this.#bytes.set(bytes, this.#length);
    this.#length += size;
    this.#chunks += 1;
    this.#times[place] = atMs;
    this.#ends[place] = this.#length;
    this.#next[place] = NONE;
    this.#chain(answer, place);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#schedule(() => {
      this.#isScheduled = false;
      this.catchUp();
    });
  }

  /** From here on everything that was relayed is read: of each answer in the order in which it came. */
  catchUp(): void {
    if (this.#chunks === 0) return;
    const answers = this.#answers;
    this.#answers = [];
    try {
      for (const answer of answers) this.#read(answer);
    } finally {
      // Where a reader has thrown after all, what comes behind it is lost, and never read as something else.
      for (const answer of answers) answer.first = NONE;
      this.#chunks = 0;
      this.#length = 0;
    }
  }

  #read(answer: Waiting): void {
    const chunk = this.#chunk;
    for (let place = answer.first; place !== NONE; place = this.#next[place] ?? NONE) {
      chunk.from = place === 0 ? 0 : (this.#ends[place - 1] ?? 0);
      chunk.to = this.#ends[place] ?? 0;
      answer.reader.read(chunk, this.#times[place] ?? 0);
    }
  }

  #chain(answer: Waiting, place: number): void {
    if (answer.first === NONE) {
      answer.first = place;
      this.#answers.push(answer);
    } else this.#next[answer.last] = place;
    answer.last = place;
  }
}
