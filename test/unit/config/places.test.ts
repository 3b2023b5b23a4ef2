import { expect, it } from 'vitest';
import { formatFault } from '../../../src/config/faults.ts';
import { LineIndex } from '../../../src/config/line-index.ts';
import { loadText } from '../../../src/config/load.ts';
import { NO_FLAGS } from '../../../src/config/overrides.ts';

function faultsOf(text: string): string[] {
  const loaded = loadText('f.yaml', text, { flags: NO_FLAGS, env: {} });
  return loaded.kind === 'faulty' ? loaded.faults.map(formatFault) : [];
}

it('a quote that swallows lines does not move the faults behind it off their lines', () => {
  const text = 'listen: " }\n    engine: vllm\n    metering: "off"\n    gpus: 0.5\n    gpu_price_per_hour: 0\n';
  const lines = text.split('\n');
  const places = faultsOf(text).map((fault) => fault.split(':').slice(1, 3).map(Number));
  expect(places.length).toBeGreaterThan(1);
  for (const [line = 0, column = 0] of places) {
    expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 1);
  }
});

it.each([
  ['a key', '"lo\u007fg": {}', 'got "lo\\u007fg"'],
  ['the place of a key', '"lo\u007fg": {}', '["lo\\u007fg"]'],
  ['a value', 'listen: "\u009b31m"', 'got "\\u009b31m"'],
  ['a line end of Unicode', 'listen: "a\u2028b"', 'got "a\\u2028b"'],
])('what could move the cursor of a terminal is escaped in a fault: %s', (_what, text, said) => {
  expect(faultsOf(text).join('\n')).toContain(said);
});

it('lines and columns are counted from 1, as editors do', () => {
  const lines = new LineIndex('ab\n\ncd');
  expect([0, 2, 3, 4, 5, 6].map((offset) => Object.values(lines.at(offset)).join(':'))).toEqual([
    '1:1',
    '1:3',
    '2:1',
    '3:1',
    '3:2',
    '3:3',
  ]);
});
