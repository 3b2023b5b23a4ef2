import { appendFile, open, readFile, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mendLastLine } from '../../../src/usage-log/torn-line.ts';
import { tempDir } from '../../helpers/temp-dir.ts';
import { usageRecord } from '../../helpers/usage-record.ts';

const RECORD = JSON.stringify(usageRecord({ user: 'Zoë' }));

/** `meanwhile`: what happens while the mending waits to see whether somebody is still writing. */
async function mended(
  content: string | Uint8Array,
  meanwhile: (path: string) => Promise<void> = async () => {},
): Promise<[string, string]> {
  await using folder = await tempDir();
  const path = folder.file('usage.jsonl');
  await writeFile(path, content);
  const handle = await open(path, 'a+');
  const mend = await mendLastLine(handle, Buffer.byteLength(content), () => meanwhile(path));
  await handle.close();
  return [mend, await readFile(path, 'utf8')];
}

describe('the end of a log that a process left behind', () => {
  it('is left alone when the last line has its end', async () => {
    expect(await mended(`${RECORD}\n`)).toEqual(['whole', `${RECORD}\n`]);
    expect(await mended('')).toEqual(['whole', '']);
  });

  it('is cut back to whole lines, wherever the last record was torn', async () => {
    const record = Buffer.from(RECORD);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: record.length - 1 }), fc.nat(2), async (cut, before) => {
        const whole = `${RECORD}\n`.repeat(before);
        const torn = Buffer.concat([Buffer.from(whole), record.subarray(0, cut)]);
        expect(await mended(torn)).toEqual(['torn_record_cut', whole]);
      }),
      { numRuns: 60 },
    );
  });

  it('gets a newline when only that is missing from a whole record', async () => {
    expect(await mended(`${RECORD}\n${RECORD}`)).toEqual(['newline_added', `${RECORD}\n${RECORD}\n`]);
  });

  it('gets a newline when it is no record of ours: nothing foreign is removed', async () => {
    expect(await mended('notes of mine')).toEqual(['newline_added', 'notes of mine\n']);
    expect(await mended('{"other":1')).toEqual(['newline_added', '{"other":1\n']);
  });

  it('gets a newline when the line is longer than any record', async () => {
    const long = `{"time":"${'x'.repeat(300_000)}`;
    expect(await mended(long)).toEqual(['newline_added', `${long}\n`]);
  });

  it('is not cut while another process is still writing it', async () => {
    const [start, rest] = [RECORD.slice(0, 99), `${RECORD.slice(99)}\n`];
    expect(await mended(start, (path) => appendFile(path, rest))).toEqual(['newline_added', `${RECORD}\n\n`]);
  });
});
