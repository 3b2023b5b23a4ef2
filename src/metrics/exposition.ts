import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Format } from './accept.ts';
import type { Collected } from './family.ts';
import { linesPerRow, writeSlice } from './slice.ts';

/**
 * Lines written in one turn of the event loop. About a microsecond each: a scrape of ten thousands
 * of lines would otherwise hold up every stream, and show as false latency (DESIGN §3).
 */
export const SLICE_LINES = 500;

export interface RenderOptions {
  format: Format;
  /** Lets the relays have their turn between two slices. */
  pause?: () => Promise<unknown>;
}

/** The exposition in pieces of at most `SLICE_LINES` lines, each made in its own turn of the event loop. */
export async function* render(families: readonly Collected[], options: RenderOptions): AsyncGenerator<string> {
  const pause = options.pause ?? (() => nextTurn());
  let text = '';
  let lines = 0;
  for (const family of families) {
    const perRow = linesPerRow(family);
    let from = 0;
    do {
      if (lines > 0 && lines + perRow > SLICE_LINES) {
        yield text;
        text = '';
        lines = 0;
        await pause();
      }
      const to = Math.min(family.rows.length, from + Math.max(1, Math.floor((SLICE_LINES - lines) / perRow)));
      const written = await writeSlice({ family, from, to }, options.format);
      text += `${from === 0 ? written : withoutHeader(written)}\n`;
      lines += (to - from) * perRow;
      from = to;
    } while (from < family.rows.length);
  }
  yield options.format === 'openmetrics' ? `${text}# EOF\n` : text;
}

/** HELP and TYPE stand once, before the first rows of a family. */
function withoutHeader(written: string): string {
  return written.slice(written.indexOf('\n', written.indexOf('\n') + 1) + 1);
}
