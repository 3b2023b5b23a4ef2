import { spawnSync } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { render, SLICE_LINES } from '../../src/metrics/exposition.ts';
import { openAdmin } from '../helpers/admin.ts';
import { configOf, finishedRequest, newRecorder } from '../helpers/recorder.ts';

/** Of Debian's prometheus; not a part of Pitot, so a machine may lack it. */
const PROMTOOL = 'promtool';
const hasPromtool = spawnSync(PROMTOOL, ['--version']).status === 0;
if (!hasPromtool)
  process.stderr.write('SKIPPED: no promtool here (apt-get install prometheus); /metrics is not checked\n');

/** Label values that have broken expositions. */
const HOSTILE = [
  'quote "',
  'back\\slash',
  'line\nend',
  'CR\rLF\r\n',
  'tab\t',
  'ünï 🌍 \u2028',
  'nul \0',
  '\ud83c half',
  '{a="b"} 1',
  '',
  ' ',
];

type Pitot = ReturnType<typeof newRecorder>;

/** One finished generation of this model and workload, through the ledger and the recorder. */
function finishOne({ ledger, clock, recorder }: Pitot, model: string, workload = 'default'): void {
  const account = ledger.open('default', workload, 'openai.chat');
  account.requested(model);
  account.phase('prefill', clock.nowMs());
  clock.advance(50);
  account.confirmModel(null);
  account.phase('decode', clock.nowMs());
  recorder.firstToken(account.labels, 50);
  for (let tokens = 1; tokens <= 20; tokens += 1) {
    clock.advance(10);
    account.emitted(4, tokens, clock.nowMs());
  }
  account.settle({
    outputTokens: 20,
    lesson: null,
    wasReported: null,
    fromMs: clock.nowMs() - 200,
    toMs: clock.nowMs(),
  });
  account.phase(null, clock.nowMs());
  recorder.finished(finishedRequest({}, { labels: account.labels, user: model }));
}

describe('a scrape over HTTP', () => {
  it.skipIf(!hasPromtool)('is clean for promtool check metrics, whatever stands in the labels', async () => {
    await using admin = await openAdmin();
    const before = spawnSync(PROMTOOL, ['check', 'metrics'], { input: (await admin.ask('/metrics')).body });
    expect([before.status, `${before.stdout}${before.stderr}`]).toEqual([0, '']);
    for (const model of HOSTILE) finishOne(admin, model);
    admin.status.answered();
    admin.status.failed();
    admin.recorder.usageAsk('default', 'answered');
    admin.recorder.degraded('unparsed_event');
    const { body } = await admin.ask('/metrics');
    const { status, stdout, stderr } = spawnSync(PROMTOOL, ['check', 'metrics'], { input: body });
    expect([status, `${stdout}${stderr}`]).toEqual([0, '']);
    expect(body.match(/^pitot_user_requests_total\{/gm)).toHaveLength(HOSTILE.length);
  });

  it('of 50 label sets is under 2 MB', async () => {
    await using admin = await openAdmin();
    for (let set = 0; set < 50; set += 1) finishOne(admin, `meta-llama/llama-3.1-8b-instruct-${set}`);
    const { body } = await admin.ask('/metrics');
    expect(body).toContain('model="meta-llama/llama-3.1-8b-instruct-49"');
    expect(Buffer.byteLength(body)).toBeLessThan(2_000_000);
  });
});

describe('a scrape of 200 label sets', () => {
  const workloads = ['{ name: w0, match: { header: { x-w: "0" } } }', '{ name: w1, match: { header: { x-w: "1" } } }'];
  const upstream = '{ name: default, url: "http://127.0.0.1:1", gpus: 1 }';
  const config = configOf(
    `{ upstreams: [ ${upstream} ], workloads: [ ${workloads.join(', ')} ], metrics: { extra: true } }`,
  );

  it('lets the event loop turn between slices of bounded size', async () => {
    using pitot = newRecorder({ config, maxLabelSets: 300 });
    for (let set = 0; set < 200; set += 1) finishOne(pitot, `model-${set % 100}`, `w${Math.floor(set / 100)}`);
    const labelSets = [...pitot.ledger.series()].length;
    expect(labelSets).toBeGreaterThanOrEqual(200);
    // The first scrape is the slow one: nothing is compiled yet, no label text is made.
    for (const round of ['first', 'second', 'third']) {
      const { linesOf, longestSliceMs, longestHoldMs } = await timedScrape(pitot);
      const lines = linesOf.reduce((sum, own) => sum + own, 0);
      expect(Math.max(...linesOf)).toBeLessThanOrEqual(SLICE_LINES);
      expect(linesOf.length).toBeGreaterThanOrEqual(lines / SLICE_LINES);
      const size = `${labelSets} label sets, ${lines} lines, ${linesOf.length} slices`;
      const held = `longest slice ${longestSliceMs.toFixed(2)} ms, event loop held ${longestHoldMs.toFixed(2)} ms at most`;
      process.stderr.write(`${round} scrape: ${size}; ${held}\n`);
    }
  });

  /** Times are told, not asserted: the machine of a test may be busy. */
  async function timedScrape({ recorder }: Pitot) {
    const holds = watchTurns();
    const families = await recorder.metrics.collect();
    const slicesMs: number[] = [];
    const linesOf: number[] = [];
    let fromMs = performance.now();
    const pause = async () => {
      slicesMs.push(performance.now() - fromMs);
      await nextTurn();
      fromMs = performance.now();
    };
    for await (const text of render(families, { format: 'text', pause }))
      linesOf.push(text.match(/^[^#\n]/gm)?.length ?? 0);
    slicesMs.push(performance.now() - fromMs);
    return { linesOf, longestSliceMs: Math.max(...slicesMs), longestHoldMs: holds.end() };
  }

  /** The longest time between two turns of the event loop. */
  function watchTurns() {
    let lastMs = performance.now();
    let longestMs = 0;
    let isOver = false;
    const turn = () => {
      const nowMs = performance.now();
      longestMs = Math.max(longestMs, nowMs - lastMs);
      lastMs = nowMs;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    return {
      end: () => {
        isOver = true;
        return longestMs;
      },
    };
  }
});
