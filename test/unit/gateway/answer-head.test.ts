import { expect, test } from 'vitest';
import { answerHead } from '../../../src/gateway/answer-head.ts';

const headOf = (...fields: string[]) =>
  answerHead(
    { status: 200, reason: 'OK', rawHeaders: fields.map((field) => Buffer.from(field)) },
    { method: 'POST', knowsChunked: true },
  );

test.each([
  ['none', [], ''],
  ['one', ['Content-Encoding', ' GZIP '], 'gzip'],
  ['identity, which is none', ['content-encoding', 'identity'], ''],
  ['identity beside one', ['content-encoding', 'identity, gzip'], 'gzip'],
  ['one beside identity', ['content-encoding', 'br ,Identity'], 'br'],
  ['two', ['content-encoding', 'gzip,br'], 'gzip, br'],
  ['two in fields of their own', ['content-encoding', 'gzip', 'x', 'y', 'Content-Encoding', 'br'], 'gzip, br'],
  ['one and identity in fields of their own', ['content-encoding', 'gzip', 'content-encoding', 'identity'], 'gzip'],
  ['an empty one', ['content-encoding', ''], ''],
] as const)('the codings of a body: %s', (_what, fields, encoding) => {
  const head = headOf(...fields);
  expect(head.contentEncoding).toBe(encoding);
  // What is relayed is what was sent.
  expect(head.headers.filter((_, at) => at % 2 === 1)).toEqual([...fields.filter((_, at) => at % 2 === 1), 'chunked']);
});
