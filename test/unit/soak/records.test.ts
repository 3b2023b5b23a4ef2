import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RecordReader } from '../../../scripts/soak/records.ts';
import { tempDir } from '../../helpers/temp-dir.ts';

const line = (id: number) => `{"id":"${id}"}\n`;
const ids = (reader: RecordReader) => reader.next().map(({ id }) => Number(id));

it('every record is read once, wherever its file has been moved', async () => {
  await using folder = await tempDir();
  const path = folder.file('usage.jsonl');
  const reader = new RecordReader(path);
  writeFileSync(path, line(1) + line(2).slice(0, 4));
  expect(ids(reader)).toEqual([1]);
  expect(reader.isWhole).toBe(false);
  appendFileSync(path, line(2).slice(4) + line(3));
  renameSync(path, `${path}.1`);
  writeFileSync(path, line(4));
  expect(ids(reader).sort()).toEqual([2, 3, 4]);
  expect(ids(reader)).toEqual([]);
  expect(reader.isWhole).toBe(true);
});

it('a line that is no record is counted', async () => {
  await using folder = await tempDir();
  const path = folder.file('usage.jsonl');
  writeFileSync(path, `${line(1)}{"id":\n`);
  const reader = new RecordReader(path);
  expect(ids(reader)).toEqual([1]);
  expect([reader.tornLines, reader.isWhole]).toEqual([1, false]);
});
