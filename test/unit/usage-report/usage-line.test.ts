import { describe, expect, it } from 'vitest';
import { readUsageLine } from '../../../src/usage-report/usage-line.ts';
import { usageRecord } from '../../helpers/usage-record.ts';

const RECORD = usageRecord();
const read = (value: unknown) => readUsageLine(JSON.stringify(value));

describe('a line of a usage log', () => {
  it('is a record as Pitot writes it', () => {
    expect(read(RECORD)).toMatchObject({ user: 'ada', model: 'tiny', output_tokens: 34, outcome: 'complete' });
  });

  it.each(['{"time":"2026-01', '', 'notes', '{"a":1}{"b":2}'])('is torn when it is no whole JSON: %s', (text) => {
    expect(readUsageLine(text)).toBe('torn');
  });

  it.each([
    [1],
    [null],
    [[RECORD]],
    [{}],
    [{ ...RECORD, time: 'today' }],
    [{ ...RECORD, time: '2026-01-02T03:04:05.678+02:00' }],
    [{ ...RECORD, time: '9999-99-99T99:99:99.999Z' }],
    [{ ...RECORD, time: '2026-02-30T00:00:00.000Z' }],
    [{ ...RECORD, output_tokens: 1e308 }],
    [{ ...RECORD, input_tokens: 2 ** 53 }],
    [{ ...RECORD, outcome: 'fine' }],
    [{ ...RECORD, outcome: 'toString' }],
    [{ ...RECORD, usage_source: null }],
  ])('is foreign when it is no record: %j', (value) => {
    expect(read(value)).toBe('foreign');
  });

  it('is no record but the process log when it has msg, whatever else it has', () => {
    expect(read({ ...RECORD, msg: 'request' })).toBe('log');
  });

  it('says nothing where it has no number, and never 0', () => {
    const { output_tokens: _without, ...rest } = RECORD;
    const line = read({ ...rest, input_tokens: '12', reasoning_tokens: -1, user: 7, model: null });
    expect(line).toMatchObject({ input_tokens: null, output_tokens: null, reasoning_tokens: null });
    expect(line).toMatchObject({ user: null, model: null });
  });

  it('has no name longer than Pitot writes', () => {
    const line = read({ ...RECORD, user: 'u'.repeat(9_999) });
    expect(line).toMatchObject({ user: 'u'.repeat(256) });
  });
});
