import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { startApp } from '../../src/app.ts';
import { systemClock } from '../../src/clock.ts';
import { createLog } from '../../src/log.ts';
import { configOf } from '../helpers/gateway.ts';
import { post, rawClient } from '../helpers/raw-client.ts';
import { RawUpstream } from '../helpers/raw-upstream.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { until } from '../helpers/until.ts';

const BODY = '{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Say hello"}]}';
const EVENT = 'data: {"model":"gpt-4o","choices":[{"index":0,"delta":{"content":"Hello there"}}]}\n\ndata: [DONE]\n\n';
const HEAD = `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: ${EVENT.length}\r\n\r\n`;

/** One request to an upstream that reports no usage. */
async function ask(listen: string): Promise<void> {
  await using client = await rawClient(Number(listen.slice(listen.lastIndexOf(':') + 1)));
  client.write(post('/v1/chat/completions', BODY));
  await client.message();
}

it('how local counts went is in the snapshot; that some fell back, in the log, once', { timeout: 60_000 }, async () => {
  await using upstream = await RawUpstream.start(async (connection) => {
    for (;;) {
      await connection.message();
      connection.write(Buffer.from(HEAD + EVENT));
    }
  });
  await using folder = await tempDir();
  const config = (budgetMs: number) =>
    configOf(upstream.url, { admin: { listen: '127.0.0.1:0' }, estimate: { budget_ms: budgetMs } });
  const log = createLog({ level: 'warn', destination: folder.file('log') });
  const build = { version: 'test', commit: 'test' };
  const app = await startApp(config(0), { clock: systemClock, log, build });
  for (let request = 0; request < 3; request += 1) await ask(app.listen);
  await until(() => app.snapshot().local_counts.fell_back === 3);
  expect(app.snapshot().local_counts).toEqual({ counted: 0, extrapolated: 0, fell_back: 3 });

  // A budget that is given later counts from then on. The encoding is loaded by now or, on a busy machine, soon.
  app.reload(config(5_000));
  while (app.snapshot().local_counts.counted === 0) {
    await ask(app.listen);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await app.shutdown();
  await log.close();
  const lines = (await readFile(folder.file('log'), 'utf8')).split('\n').filter((line) => line.includes('"warn"'));
  expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ counted: 0, fell_back: 1 })]);
});
