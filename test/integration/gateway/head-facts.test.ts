import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { post, rawClient } from '../../helpers/raw-client.ts';
import { answering, RawUpstream } from '../../helpers/raw-upstream.ts';

test('counts and times that stand in headers are in the record, whatever the case of their names', async () => {
  const body = '{"generated_text":"Hello you"}';
  const head = [
    'HTTP/1.1 200 OK',
    'Content-Type: application/json',
    'X-Queue-Time: 3',
    'x-inference-time: 120000',
    'x-TOTAL-time: 120004',
    'x-prompt-tokens: 17',
    'x-generated-tokens: 20',
    `Content-Length: ${body.length}`,
  ];
  await using upstream = await RawUpstream.start(answering(`${head.join('\r\n')}\r\n\r\n${body}`));
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(post('/generate', '{"inputs":"Hi"}'));
  await client.message();
  const record = await gateway.record();
  expect(record).toMatchObject({
    api: 'tgi.generate',
    stream: false,
    usage_source: 'reported',
    input_tokens: 17,
    output_tokens: 20,
    server_timings: { queue_ms: 3, prefill_ms: null, decode_ms: 120_000, total_ms: 120_004 },
  });
  // What the server says of its time is not what was measured: two minutes did not pass here.
  expect(record.e2e_ms).toBeLessThan(60_000);
  expect(record.decode_ms).toBeNull();
});
