import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What the rules want of one line of the usage log. */
export interface SoakRecord {
  readonly id: string;
  readonly request_id: string;
  readonly upstream: string | null;
  readonly model: string | null;
  readonly status: number;
  readonly outcome: string;
  readonly usage_source: string;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
}

/** Follows a usage log and its rotated files, each byte read once, wherever its file has been moved. */
export class RecordReader {
  /** Lines that were no records. */
  tornLines = 0;
  readonly #path: string;
  /** By inode: how far it was read, and the beginning of a line whose end was not there. */
  readonly #files = new Map<number, { at: number; rest: string }>();

  constructor(path: string) {
    this.#path = path;
  }

  /** What has come since the last time. */
  next(): SoakRecord[] {
    const folder = dirname(this.#path);
    const names = readdirSync(folder).filter((name) => name.startsWith(basename(this.#path)));
    return names.flatMap((name) => this.#read(join(folder, name)));
  }

  /** Every line that was begun is ended. */
  get isWhole(): boolean {
    return this.tornLines === 0 && [...this.#files.values()].every(({ rest }) => rest === '');
  }

  #read(path: string): SoakRecord[] {
    const fd = openSync(path, 'r');
    try {
      const { ino, size } = fstatSync(fd);
      const file = this.#files.get(ino) ?? { at: 0, rest: '' };
      this.#files.set(ino, file);
      const bytes = Buffer.alloc(Math.max(0, size - file.at));
      const count = readSync(fd, bytes, 0, bytes.length, file.at);
      file.at += count;
      const lines = (file.rest + bytes.toString('utf8', 0, count)).split('\n');
      file.rest = lines.pop() ?? '';
      return lines.flatMap((line) => this.#parse(line));
    } finally {
      closeSync(fd);
    }
  }

  #parse(line: string): SoakRecord[] {
    try {
      return [JSON.parse(line) as SoakRecord];
    } catch {
      this.tornLines += 1;
      return [];
    }
  }
}
