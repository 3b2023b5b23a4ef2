import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A usage log that cannot be read; the message is one sentence that names it. */
export class UnreadableLog extends Error {}

/** An opened usage log. */
export interface LogFile {
  readonly name: string;
  /** Its bytes, unpacked where they are gzip. Throws `UnreadableLog`. */
  bytes(): AsyncIterable<Buffer>;
}

export interface OpenedLogs {
  readonly files: readonly LogFile[];
  /** Names of files that were named before: they are read once. */
  readonly repeated: readonly string[];
}

const READ_BYTES = 1_024 * 1_024;
const GZIP = [0x1f, 0x8b] as const;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
  ENOTDIR: 'a part of its path is no directory',
  Z_BUF_ERROR: 'it is gzip that was cut short',
  Z_DATA_ERROR: 'it is damaged gzip',
};

/**
 * Opens all of them before any is read: a missing one is known at once, and a rotation that comes in
 * between hides no record and shows none twice. `-` is standard input.
 */
export async function openLogs(names: readonly string[], stdin: Readable): Promise<OpenedLogs> {
  const files: LogFile[] = [];
  const repeated: string[] = [];
  const streams = new Map<string, Readable>();
  try {
    for (const name of names) {
      const { identity, stream } = name === '-' ? { identity: '-', stream: stdin } : await openFile(name);
      if (!streams.has(identity)) files.push({ name, bytes: () => named(name, stream) });
      else {
        repeated.push(name);
        if (stream !== stdin) stream.destroy();
      }
      streams.set(identity, streams.get(identity) ?? stream);
    }
  } catch (error) {
    for (const stream of streams.values()) stream.destroy();
    throw error;
  }
  return { files, repeated };
}

async function openFile(name: string): Promise<{ identity: string; stream: Readable }> {
  let handle: FileHandle;
  try {
    handle = await open(name, 'r');
  } catch (error) {
    throw unreadable(name, error);
  }
  const { dev, ino } = await handle.stat();
  return { identity: `${dev} ${ino}`, stream: handle.createReadStream({ highWaterMark: READ_BYTES }) };
}

async function* named(name: string, stream: Readable): AsyncIterable<Buffer> {
  try {
    yield* unpacked(stream);
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** Told by its first bytes and not by its name: what comes by standard input has none. */
async function* unpacked(stream: Readable): AsyncIterable<Buffer> {
  const chunks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  while (start.length < GZIP.length) {
    const next = await chunks.next();
    if (next.done) break;
    start = Buffer.concat([start, next.value]);
  }
  const whole = chain(start, chunks);
  if (!GZIP.every((byte, index) => start[index] === byte)) yield* whole;
  // What goes wrong comes out of the iteration.
  else yield* pipeline(Readable.from(whole, { objectMode: false }), createGunzip({ chunkSize: READ_BYTES }), () => {});
}

async function* chain(start: Buffer, rest: AsyncIterator<Buffer>): AsyncIterable<Buffer> {
  if (start.length > 0) yield start;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

function unreadable(name: string, error: unknown): UnreadableLog {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return new UnreadableLog(`cannot read ${name === '-' ? 'standard input' : name}: ${REASONS[code] ?? code}`);
}
