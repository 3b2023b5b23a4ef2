import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Mend, mendLastLine } from './torn-line.ts';

/** Records name users: the group may read them (a log shipper), others may not. */
const FILE_MODE = 0o640;

interface OpenFile {
  readonly handle: FileHandle;
  readonly dev: number;
  readonly ino: number;
  /** False for a device or pipe: those are never mended, rotated or synced. */
  readonly isRegular: boolean;
}

/** How far an append came. After an error, `written` bytes are in the file all the same. */
export interface Appended {
  readonly written: number;
  readonly error: unknown;
}

/** One file that is only ever appended to. Follows its path: a file that was moved away or deleted is opened anew. */
export class AppendFile {
  readonly #path: string;
  readonly #onMend: (mend: Mend) => void;
  #open: OpenFile | null = null;

  constructor(path: string, onMend: (mend: Mend) => void) {
    this.#path = path;
    this.#onMend = onMend;
  }

  /** Opens the file if need be. Returns its size in bytes, or null where a size means nothing (a device or pipe). */
  async ready(): Promise<number | null> {
    const found = await this.#stat();
    if (this.#open !== null && (found?.dev !== this.#open.dev || found.ino !== this.#open.ino)) await this.close();
    if (this.#open !== null) return this.#open.isRegular ? (found?.size ?? null) : null;
    return this.#openFile(found === null || found.isFile());
  }

  /** Never throws. Call `ready` first. */
  async append(bytes: Uint8Array): Promise<Appended> {
    let written = 0;
    try {
      while (written < bytes.length) {
        if (this.#open === null) throw new Error('the file is not open');
        written += (await this.#open.handle.write(bytes, written)).bytesWritten;
      }
      return { written, error: null };
    } catch (error) {
      return { written, error };
    }
  }

  /** Waits until what was appended is on the disk. */
  async sync(): Promise<void> {
    if (this.#open?.isRegular) await this.#open.handle.datasync();
  }

  async close(): Promise<void> {
    const handle = this.#open?.handle;
    this.#open = null;
    await handle?.close();
  }

  async #stat() {
    try {
      return await stat(this.#path);
    } catch {
      return null; // Whatever is wrong, opening says it better.
    }
  }

  async #openFile(isRegular: boolean): Promise<number | null> {
    const handle = await open(this.#path, isRegular ? 'a+' : 'a', FILE_MODE);
    try {
      const { dev, ino, size } = await handle.stat();
      if (isRegular && size > 0) {
        const mend = await mendLastLine(handle, size);
        if (mend !== 'whole') this.#onMend(mend);
      }
      if (isRegular && size === 0) await syncFolder(dirname(this.#path));
      this.#open = { handle, dev, ino, isRegular };
      return isRegular ? (await handle.stat()).size : null;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}

/** A new file survives a power cut only when its folder is on the disk too. Some file systems refuse this; then nothing is lost by it. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // Not every file system can.
  }
}
