import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { KnownCurve } from './curves.ts';
import { readState, stateText } from './state-format.ts';

/** What a killed process may lose. */
const SAVE_EVERY_MS = 60_000;
/** Curves name models and workloads, as the usage log does: the group may read them, others may not. */
const FILE_MODE = 0o640;

export interface StateFileParts {
  clock: Clock;
  curves: () => readonly KnownCurve[];
  /** Grows whenever the curves learn something. */
  learned: () => number;
  restore: (curves: readonly KnownCurve[]) => void;
  warn: (fields: object, message: string) => void;
}

/**
 * Where operating curves survive a restart (`state.path`). Written beside the old file and put in its place
 * whole, so that whoever reads finds one or the other. A file that cannot be understood is put aside, said
 * once, and curves begin anew: no start ever fails for it.
 */
export class StateFile {
  readonly #parts: StateFileParts;
  readonly #timer: NodeJS.Timeout;
  #path: string | null = null;
  #saving: Promise<void> = Promise.resolve();
  #hasFailed = false;
  /** How much was learned when each file was written. */
  readonly #saved = new Map<string, number>();

  constructor(parts: StateFileParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.save(), SAVE_EVERY_MS).unref();
  }

  /** At the start and after a reload. What a new file knows joins what is known here, before anything is written to it. */
  configure(path: string | null): void {
    if (path === this.#path) return;
    void this.save();
    this.#path = path;
    this.#hasFailed = false;
    if (path !== null) this.#load(path);
  }

  /** Never rejects: a file that cannot be written is said, once until it can again. */
  save(): Promise<void> {
    const path = this.#path;
    if (path !== null) this.#saving = this.#saving.then(() => this.#save(path));
    return this.#saving;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.save();
  }

  #load(path: string): void {
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      const isNew = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isNew) this.#parts.warn({ path, err: error }, 'operating curves cannot be read: they begin anew');
      return;
    }
    try {
      this.#parts.restore(readState(text));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#parts.warn(
        { path, reason, kept_as: putAside(path) },
        'the file of operating curves is faulty: they begin anew',
      );
    }
  }

  async #save(path: string): Promise<void> {
    const learned = this.#parts.learned();
    if ((this.#saved.get(path) ?? 0) === learned) return;
    try {
      await replace(path, stateText(this.#parts.curves(), this.#parts.clock.epochMs()));
      this.#hasFailed = false;
      this.#saved.set(path, learned);
    } catch (error) {
      if (!this.#hasFailed) this.#parts.warn({ path, err: error }, 'operating curves cannot be saved');
      this.#hasFailed = true;
    }
  }
}

/** Null where not even that is possible; it is overwritten then. */
function putAside(path: string): string | null {
  const aside = `${path}.faulty`;
  try {
    renameSync(path, aside);
    return aside;
  } catch {
    return null;
  }
}

async function replace(path: string, pieces: Iterable<string>): Promise<void> {
  // Processes in containers of their own have like numbers, and may share the folder.
  const beside = `${path}.${process.pid}.${randomBytes(6).toString('hex')}.new`;
  try {
    const file = await open(beside, 'w', FILE_MODE);
    try {
      for (const piece of pieces) {
        await file.write(piece);
        await nextTurn();
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
