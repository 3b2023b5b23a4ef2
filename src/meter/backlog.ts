import { type Stretch, stretchOf, viewOf } from '../wire/stretch.ts';

/** Reads what waited. Never throws. */
export interface ChunkReader {
  read(bytes: Stretch, atMs: number): void;
}

/** So much waits at most: reading it takes an eighth of a millisecond, or one where no event is like the one before. No answer is relayed meanwhile. */
const MOST_CHUNKS = 512;
const MOST_BYTES = 128 * 1_024;

/**
 * Chunks of answers that were relayed and are still to be read. What reading one chunk touches lies far
 * apart in memory, and between two chunks of a stream a hundred others come: to fetch it all for each costs
 * several times the work itself. So chunks of running streams are put aside, with their time, and read many at
 * once; whoever looks at what they move has them read first.
 *
 * Their bytes are copied into one block that is used again: kept as they came they would outlive the young
 * generation, and a few bytes can keep a whole read of 64 kB alive.
 */
export class Backlog {
  readonly #schedule: (work: () => void) => void;
  readonly #bytes = Buffer.allocUnsafeSlow(MOST_BYTES);
  /** The chunk that is being read: one object for all, since they are many. */
  readonly #chunk = { bytes: this.#bytes, view: viewOf(this.#bytes), from: 0, to: 0 };
  /** Of each chunk that waits: whose it is, when it came, and where in the block it ends. */
  #readers: ChunkReader[] = [];
  readonly #times = new Float64Array(MOST_CHUNKS);
  readonly #ends = new Uint32Array(MOST_CHUNKS);
  #length = 0;
  /** Once at a time: who looks may empty it long before. */
  #isScheduled = false;

  /** `schedule` runs the work a moment later: how long what nobody looks at may wait. */
  constructor(schedule: (work: () => void) => void) {
    this.#schedule = schedule;
  }

  add(reader: ChunkReader, bytes: Uint8Array, atMs: number): void {
    const size = bytes.length;
    if (this.#readers.length === MOST_CHUNKS || this.#length + size > MOST_BYTES) this.catchUp();
    if (size > MOST_BYTES) {
      reader.read(stretchOf(bytes), atMs);
      return;
    }
    const place = this.#readers.length;
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#schedule(() => {
        this.#isScheduled = false;
        this.catchUp();
      });
    }
    this.#bytes.set(bytes, this.#length);
    this.#length += size;
    this.#readers.push(reader);
    this.#times[place] = atMs;
    this.#ends[place] = this.#length;
  }

  /** From here on everything that was relayed is read, in the order in which it came. */
  catchUp(): void {
    const readers = this.#readers;
    if (readers.length === 0) return;
    this.#readers = [];
    this.#length = 0;
    const chunk = this.#chunk;
    chunk.to = 0;
    for (let place = 0; place < readers.length; place += 1) {
      chunk.from = chunk.to;
      chunk.to = this.#ends[place] ?? 0;
      readers[place]?.read(chunk, this.#times[place] ?? 0);
    }
  }
}
