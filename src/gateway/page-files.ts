import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { UNBUILT_PAGE } from './unbuilt-page.ts';

/** One file of the live page, in memory, as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly plain: Buffer;
  /** Null where it would hardly be smaller. */
  readonly zipped: Buffer | null;
  /** Of the content: who has it need not load it again. */
  readonly etag: string;
  readonly cacheControl: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

const INDEX = 'index.html';
/** Names in there hold a hash of the content: under one name there is one content for ever. */
const HASHED = 'assets/';
const FOR_EVER = 'public, max-age=31536000, immutable';
/** Asked for again each time, and mostly answered with 304. */
const ASK_AGAIN = 'no-cache';

/**
 * The live page by path, read once at the start: a request is looked up among what is there, so no path can lead to
 * another file. `folder` is where the build put it; without one, as when running from sources, a page says so.
 */
export function readPage(folder: string | null): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of folder === null ? [] : namesIn(folder)) {
    const type = TYPES[extname(name)];
    if (folder !== null && type !== undefined)
      files.set(name === INDEX ? '/' : `/${name}`, fileOf(readFileSync(join(folder, name)), type, name));
  }
  if (!files.has('/')) files.set('/', fileOf(Buffer.from(UNBUILT_PAGE), TYPES['.html'] ?? '', INDEX));
  return files;
}

/** Relative, with `/` between the parts; none where there is no such folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
  } catch {
    return [];
  }
}

function fileOf(plain: Buffer, type: string, name: string): PageFile {
  const zipped = gzipSync(plain, { level: constants.Z_BEST_COMPRESSION });
  return {
    type,
    plain,
    zipped: zipped.length < plain.length * 0.9 ? zipped : null,
    etag: `"${createHash('sha256').update(plain).digest('base64url')}"`,
    cacheControl: name.startsWith(HASHED) ? FOR_EVER : ASK_AGAIN,
  };
}
