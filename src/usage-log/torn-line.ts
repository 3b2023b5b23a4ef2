import type { FileHandle } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** Longer than any record can be: a request head, and so a path, ends at 64 KiB. */
const LONGEST_LINE_BYTES = 256 * 1_024;
export const NEWLINE = 10;
/** Far longer than an append takes. A line that still has no end after this is nobody's to be finished. */
const SETTLE_MS = 100;
/** How every record begins: `time` is its first key. */
const RECORD_START = '{"time":';

export type Mend = 'whole' | 'newline_added' | 'torn_record_cut';

/**
 * A process that is killed, or a disk that fills up, can leave the last line without its end. The next
 * record must not be glued to it. Half a record is cut; a whole record gets its newline; whatever else
 * stands there is not ours to remove and gets a newline too. A newline never harms: where another process
 * is just finishing its line, it comes behind it and is a blank one.
 *
 * @param size the file's size as just read; nothing is cut if it changes while `settle` passes.
 */
export async function mendLastLine(
  handle: FileHandle,
  size: number,
  settle: () => Promise<unknown> = () => wait(SETTLE_MS),
): Promise<Mend> {
  const from = Math.max(0, size - LONGEST_LINE_BYTES);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
  if (bytesRead === 0 || buffer[bytesRead - 1] === NEWLINE) return 'whole';
  const lineStart = buffer.lastIndexOf(NEWLINE, bytesRead - 1) + 1;
  const isLineWhole = lineStart > 0 || from === 0;
  const line = buffer.toString('utf8', lineStart, bytesRead);
  if (isLineWhole && beginsLikeRecord(line) && !isJson(line)) {
    await settle();
    const now = await handle.stat();
    if (now.size === size) {
      await handle.truncate(from + lineStart);
      return 'torn_record_cut';
    }
  }
  await handle.appendFile('\n');
  return 'newline_added';
}

/** The file, of this size, ends in the middle of a line. */
export async function lacksNewline(handle: FileHandle, size: number): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 && buffer[0] !== NEWLINE;
}

function beginsLikeRecord(line: string): boolean {
  return line.startsWith(RECORD_START) || RECORD_START.startsWith(line);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
