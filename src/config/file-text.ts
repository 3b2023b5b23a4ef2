import { readFileSync } from 'node:fs';

/** The text of a file, or one sentence on why there is none. */
export type FileText = { kind: 'text'; text: string } | { kind: 'unreadable'; line: number | null; message: string };

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
  ENOTDIR: 'a part of its path is no directory',
  ENAMETOOLONG: 'its name is too long',
};

/** A thousand times a long configuration: whatever is larger is another file. */
const MAX_BYTES = 2 ** 20;

export function readText(file: string): FileText {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return { kind: 'unreadable', line: null, message: `expected a readable file, got none: ${REASONS[code] ?? code}` };
  }
  if (bytes.length > MAX_BYTES) {
    return { kind: 'unreadable', line: null, message: 'expected a configuration of 1MiB at most, got a larger file' };
  }
  const line = firstBadLine(bytes);
  if (line === null) return { kind: 'text', text: new TextDecoder().decode(bytes) };
  return { kind: 'unreadable', line, message: 'expected UTF-8 text, got bytes that are none' };
}

/** The first line, from 1, that is no UTF-8 text or holds a NUL, as UTF-16 does; null when all are good. */
function firstBadLine(bytes: Buffer): number | null {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let start = 0;
  for (let line = 1; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    const part = bytes.subarray(start, end);
    try {
      decoder.decode(part);
    } catch {
      return line;
    }
    if (part.includes(0)) return line;
    start = end + 1;
  }
  return null;
}
