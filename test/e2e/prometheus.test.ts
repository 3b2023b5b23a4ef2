import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { PacedUpstream } from '../helpers/paced-upstream.ts';
import { PitotProcess } from '../helpers/pitot-process.ts';
import { hasPrometheus, Prometheus, promtoolCheck } from '../helpers/prometheus.ts';
import { tempDir } from '../helpers/temp-dir.ts';

if (!hasPrometheus)
  process.stderr.write(
    'SKIPPED: no Prometheus here (apt-get install prometheus); nothing is checked against a real one\n',
  );

/** 20 chunks a second with 4 tokens each, over 4 streams: 320 tokens a second. */
const EVERY_MS = 50;
const TOKENS_PER_CHUNK = 4;
const STREAMS = 4;
const TRUE_RATE = (STREAMS * TOKENS_PER_CHUNK * 1000) / EVERY_MS;

describe.skipIf(!hasPrometheus)('a real Prometheus in front of a real gateway', () => {
  it('reads the true rate while streams run, and the true sum when they have ended', { timeout: 120_000 }, async () => {
    await using folder = await tempDir();
    await using upstream = new PacedUpstream({ everyMs: EVERY_MS, tokensPerChunk: TOKENS_PER_CHUNK });
    await using pitot = await PitotProcess.serve(['--upstream', await upstream.start()]);
    await using prometheus = await Prometheus.scraping(pitot.admin, folder.path);
    const ask = async (chunks: number) => {
      const body = JSON.stringify({ model: 'paced', stream: true, messages: [] });
      const answer = await fetch(`${pitot.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-chunks': String(chunks) },
        body,
      });
      await answer.text();
    };
    await ask(20);
    const running = Promise.all(Array.from({ length: STREAMS }, () => ask(48_000 / EVERY_MS)));
    await sleep(14_000);
    const readings: number[] = [];
    for (let second = 0; second < 30; second += 1) {
      await sleep(1_000);
      readings.push(await prometheus.value('sum(rate(pitot_output_tokens_total[10s]))'));
    }
    const mean = readings.reduce((sum, reading) => sum + reading, 0) / readings.length;
    expect(Math.abs(mean / TRUE_RATE - 1)).toBeLessThan(0.02);
    await running;
    await sleep(2_500);
    const total = await prometheus.value('sum(pitot_output_tokens_total) - sum(pitot_withheld_tokens)');
    expect(total).toBe(upstream.reported);
    expect(await promtoolCheck(await pitot.metrics())).toBe('');
  });
});
