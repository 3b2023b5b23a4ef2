import { expect, test } from 'vitest';
import { readOptions } from '../../../scripts/bench/options.ts';

const CASES = ['streams', 'calls'];
const read = (args: string[], env: NodeJS.ProcessEnv = {}) => readOptions(args, CASES, env);

test('without options everything is measured in full, and nothing is written', () => {
  expect(read([])).toMatchObject({
    rounds: 5,
    seconds: 3,
    isQuick: false,
    cases: null,
    only: null,
    json: null,
    nodes: [],
  });
});

test('a quick run is short, unless it is told otherwise', () => {
  expect(read(['--quick'])).toMatchObject({ isQuick: true, rounds: 2, seconds: 1 });
  expect(read(['--quick', '--rounds', '7'])).toMatchObject({ rounds: 7, seconds: 1 });
});

test('other Nodes and Portkey come from an option, else from the environment', () => {
  const env = { BENCH_NODE: '/a/node:/b/node', BENCH_PORTKEY: '/p' };
  expect(read([], env)).toMatchObject({ nodes: ['/a/node', '/b/node'], portkey: '/p' });
  expect(read(['--node', '/c/node', '--portkey', '/q'], env)).toMatchObject({ nodes: ['/c/node'], portkey: '/q' });
});

test('what cannot be done is refused with a sentence', () => {
  expect(() => read(['--case', 'stream'])).toThrow('There is no case "stream"; there are streams, calls.');
  expect(() => read(['--rounds', '0'])).toThrow('--rounds wants a whole number from 1 to 100, got "0".');
  expect(() => read(['--against', '/nowhere/main.js'])).toThrow('There is no /nowhere/main.js.');
});
