import { expect, test } from 'vitest';
import { callBody } from '../../../scripts/bench/load-call.ts';

test.each([200, 1_000, 2 ** 20])('a body of %i bytes is JSON of that length, with the model at its end', (bytes) => {
  const body = callBody(bytes);
  expect(body.length).toBe(bytes);
  expect(Object.keys(JSON.parse(body.toString()))).toEqual(['messages', 'model', 'stream']);
});
