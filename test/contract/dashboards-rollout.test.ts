import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { GPU_DOLLARS, IDLE_DOLLARS, PAID_TOKENS } from '../../scripts/dashboards/cost/dollars.ts';
import { interpolate } from '../../scripts/dashboards/interpolate.ts';
import { hasPrometheus, promtool } from '../helpers/prometheus.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const ALL = { all: '.*' } as const;
const HOUR = {
  stepSeconds: 30,
  scrapeSeconds: 30,
  rangeSeconds: 3_600,
  chosen: { job: ALL, upstream: ALL, model: ALL, workload: ALL },
};
const of = (name: string, instance: string) => `${name}{job="pitot",instance="${instance}",upstream="a"}`;

/** A metric of two gateways that follow each other within two hours, one value each half minute. */
function replaced(name: string, step: number) {
  return [
    { series: of(name, 'old'), values: `0+${step}x180 _x60` },
    { series: of(name, 'new'), values: `_x180 0+${step}x60` },
  ];
}

/** What promtool finds an expression to be at the end of two hours, in the middle of whose second a pod was replaced. */
async function holds(series: readonly object[], expr: string, value: number): Promise<unknown> {
  await using folder = await tempDir();
  const file = join(folder.path, 'rollout.yml');
  const expected = {
    expr: `round(sum(${interpolate(expr, HOUR)}))`,
    eval_time: '2h',
    exp_samples: [{ labels: '{}', value }],
  };
  await writeFile(
    file,
    stringify({ tests: [{ interval: '30s', input_series: series, promql_expr_test: [expected] }] }),
  );
  return promtool('test', 'rules', file);
}

it.skipIf(!hasPrometheus)('what GPUs cost in a range goes on over a gateway that is replaced by another', async () => {
  // A dollar each half minute: 120 of them in the hour, half of them told by each.
  const cost = replaced('pitot_gpu_cost_dollars_total', 1);
  expect(await holds(cost, `${GPU_DOLLARS} / 10`, 12)).toMatchObject({ code: 0 });
  const tokens = replaced('pitot_output_tokens_total', 1_000);
  expect(await holds([...cost, ...tokens], `(${PAID_TOKENS}) / 10000`, 12)).toMatchObject({ code: 0 });
});

it.skipIf(!hasPrometheus)('what they cost idle does, too', async () => {
  const configured = [
    ...replaced('pitot_upstream_gpus', 0).map(({ series, values }) => ({
      series,
      values: values.replace('0+0', '2+0'),
    })),
    ...replaced('pitot_gpu_price_dollars_per_hour', 0).map(({ series, values }) => ({
      series,
      values: values.replace('0+0', '60+0'),
    })),
  ];
  // Busy for half of the time: half of the 120 dollars of the hour.
  const busy = replaced('pitot_upstream_busy_seconds_total', 15);
  expect(await holds([...configured, ...busy], `${IDLE_DOLLARS} / 10`, 6)).toMatchObject({ code: 0 });
});
