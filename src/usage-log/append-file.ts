import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { lacksNewline, type Mend, mendLastLine, NEWLINE } from './torn-line.ts';

/** Records name users: the group may read them (a log shipper), others may not. */
const FILE_MODE = 0o640;
/** To a pipe that nobody reads a blocking `open` would wait for ever, and hold one of Node's few file threads. */
const FLAGS = constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;
/** Names of what this process has open already. Behind them may be a regular file, which is another's to rotate. */
const OPEN_DESCRIPTORS = /^\/(dev\/(stdout|stderr|fd\/)|proc\/)/;

interface OpenFile {
  readonly handle: FileHandle;
  readonly dev: number;
  readonly ino: number;
  /** False for a pipe or device: those are never mended, rotated or synced. */
  readonly isRegular: boolean;
  /** What it should have, if nobody else writes to it. */
  size: number;
  /** Something was appended that may not be on the disk yet. */
  isUnsynced: boolean;
  /** The last line written to a pipe lacks its end. */
  isCut: boolean;
}

/** How far an append came. After an error, `written` bytes are in the file all the same. */
export interface Appended {
  readonly written: number;
  readonly error: unknown;
}

export interface AppendFileEvents {
  /** A line without its end was found, and this was done about it. */
  onMend(mend: Exclude<Mend, 'whole'>): void;
  /** The file grew by what was not appended here. */
  onForeignGrowth(): void;
  /** The path leads elsewhere, and this file is closed next: the last chance to sync it. */
  onMoved(): Promise<void>;
}

/** One file that is only ever appended to. Follows its path: a file that was moved away or deleted is opened anew. */
export class AppendFile {
  readonly #path: string;
  readonly #events: AppendFileEvents;
  #open: OpenFile | null = null;

  constructor(path: string, events: AppendFileEvents) {
    this.#path = path;
    this.#events = events;
  }

  get isUnsynced(): boolean {
    return this.#open?.isUnsynced ?? false;
  }

  /** The path leads elsewhere by now, or nowhere. */
  async isMoved(): Promise<boolean> {
    return this.#open !== null && isOther(await this.#stat(), this.#open);
  }

  /** Opens the file if need be. Returns its size in bytes, or null where a size means nothing (a pipe or device). */
  async ready(): Promise<number | null> {
    const found = await this.#stat();
    if (this.#open !== null && isOther(found, this.#open)) {
      await this.#events.onMoved();
      await this.close();
    }
    if (this.#open === null) return this.#openFile(found === null || this.#isOurs(found));
    if (!this.#open.isRegular) return null;
    return this.#sizeNow(this.#open, found?.size ?? 0);
  }

  /** Never throws. Call `ready` first. */
  async append(bytes: Uint8Array): Promise<Appended> {
    let written = 0;
    const file = this.#open;
    if (file === null) return { written, error: new Error('the file is not open') };
    try {
      if (file.isCut) await file.handle.write('\n');
      file.isCut = false;
      while (written < bytes.length) written += (await file.handle.write(bytes, written)).bytesWritten;
      return { written, error: null };
    } catch (error) {
      return { written, error };
    } finally {
      file.size += written;
      file.isUnsynced ||= file.isRegular && written > 0;
      // A regular file is mended when it is opened anew.
      if (!file.isRegular && written > 0) file.isCut = bytes[written - 1] !== NEWLINE;
    }
  }

  /** Waits until what was appended is on the disk. */
  async sync(): Promise<void> {
    if (!this.#open?.isUnsynced) return;
    this.#open.isUnsynced = false;
    await this.#open.handle.datasync();
  }

  async close(): Promise<void> {
    const handle = this.#open?.handle;
    this.#open = null;
    await handle?.close();
  }

  async #stat(): Promise<Stats | null> {
    try {
      return await stat(this.#path);
    } catch {
      return null; // Whatever is wrong, opening says it better.
    }
  }

  #isOurs(found: Stats): boolean {
    return found.isFile() && !OPEN_DESCRIPTORS.test(this.#path);
  }

  async #openFile(isRegular: boolean): Promise<number | null> {
    const handle = await open(this.#path, FLAGS | (isRegular ? constants.O_RDWR : constants.O_WRONLY), FILE_MODE);
    try {
      const { dev, ino, size } = await handle.stat();
      if (isRegular && size > 0) {
        const mend = await mendLastLine(handle, size);
        if (mend !== 'whole') this.#events.onMend(mend);
      }
      if (isRegular && size === 0) await syncFolder(dirname(this.#path));
      const sizeNow = isRegular ? (await handle.stat()).size : 0;
      this.#open = { handle, dev, ino, isRegular, size: sizeNow, isUnsynced: false, isCut: false };
      return isRegular ? sizeNow : null;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** A second writer may stop in the middle of a line: the next record must not be glued to it. */
  async #sizeNow(file: OpenFile, size: number): Promise<number> {
    const isForeign = size > file.size;
    file.size = size;
    if (!isForeign) return size;
    this.#events.onForeignGrowth();
    if (!(await lacksNewline(file.handle, size))) return size;
    await file.handle.appendFile('\n');
    file.size += 1;
    return file.size;
  }
}

function isOther(found: Stats | null, file: OpenFile): boolean {
  return found?.dev !== file.dev || found.ino !== file.ino;
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
