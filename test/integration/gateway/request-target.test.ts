import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { rawClient, request } from '../../helpers/raw-client.ts';
import { OK, RawUpstream } from '../../helpers/raw-upstream.ts';

/** Sends one GET for `target` and returns the target that reached the upstream. */
async function forwarded(target: string, prefix = ''): Promise<string> {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url + prefix);
  await using client = await rawClient(gateway.port);
  client.write(request(`GET ${target}`));
  const connection = await upstream.connection();
  const { startLine } = await connection.message();
  connection.write(OK);
  expect((await client.message()).body.toString()).toBe('ok');
  const { path } = await gateway.record();
  expect(path).not.toContain('?');
  return startLine.replace(/^GET (.*) HTTP\/1.1$/, '$1');
}

test.each([
  '/v1/models',
  '/',
  '/model/arn%3Aaws%2Fx/converse?a=%2F&b=//c',
  '//evil.example/../x',
  '/a/./b/../../c',
  '/%zz?q=%',
  '/v1beta/models/gemini:streamGenerateContent?alt=sse&key=a+b',
  '/a?b?c#d',
  `/${'!$&\'()*+,;=:@|~`^[]{}<>"\\'}`,
  `/${'x'.repeat(30_000)}`,
])('the target %.60s reaches the upstream as the client wrote it', async (target) => {
  expect(await forwarded(target)).toBe(target);
});

test.each([
  ['/base', '/v1/models?x=1', '/base/v1/models?x=1'],
  ['/base/', '//x', '/base//x'],
  ['/a%20b', '/', '/a%20b/'],
])('a path prefix %s of the upstream is joined textually', async (prefix, target, expected) => {
  expect(await forwarded(target, prefix)).toBe(expected);
});

test.each([
  ['http://evil.example/v1/x?y', '/v1/x?y'],
  ['http://evil.example', '/'],
  ['https://evil.example:444?y', '/?y'],
  ['http://evil.example//b', '//b'],
])('an absolute target %s is reduced to its path and never followed', async (target, expected) => {
  expect(await forwarded(target)).toBe(expected);
});

test.each(['OPTIONS *', 'CONNECT evil.example:443'])('%s is refused and goes nowhere', async (line) => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request(line));
  expect((await client.message()).startLine).toBe('HTTP/1.1 400 Bad Request');
  expect(await client.closed()).toBe('end');
  expect(upstream.connections).toHaveLength(0);
  expect(gateway.records).toHaveLength(0);
});
