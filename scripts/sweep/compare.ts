import type { UsageRecord } from '../../src/meter/record.ts';
import type { ToolRequest, ToolStep } from './aiperf.ts';
import { differenceOf, distributionOf } from './distribution.ts';
import type { Counted, Side, StepFigures } from './figures.ts';

interface Pair {
  readonly request: ToolRequest;
  readonly record: UsageRecord;
}

/** One step of the sweep: the requests of the tool, and the usage records of the same requests, found by their ids. */
export function compareStep(
  step: { concurrency: number; tool: ToolStep; counted: Counted },
  log: readonly UsageRecord[],
) {
  const { requests, side } = step.tool;
  const byId = new Map(log.map((record) => [record.request_id, record]));
  const pairs = requests.flatMap((request): Pair[] => {
    const record = byId.get(request.id);
    return record === undefined ? [] : [{ request, record }];
  });
  const figures: StepFigures = {
    concurrency: step.concurrency,
    tool: side,
    reportedTokens: sum(requests.map(({ reportedTokens }) => reportedTokens)),
    pitot: sideOf(pairs.map(({ record }) => record)),
    counted: step.counted,
    unmatched: requests.length - pairs.length,
    miscounted: pairs.filter(({ request, record }) => request.reportedTokens !== record.output_tokens).length,
    ttftDifferenceMs: differenceOf(lessPitots(pairs, ({ request }) => request.ttftMs, 'ttft_ms')),
    decodeDifferenceMs: differenceOf(lessPitots(pairs, ({ request }) => request.decodeMs, 'decode_ms')),
  };
  return figures;
}

function sideOf(records: readonly UsageRecord[]): Side {
  const startMs = Math.min(...records.map(({ started_at }) => Date.parse(started_at)));
  const endMs = Math.max(...records.map(({ time }) => Date.parse(time)));
  const seconds = (endMs - startMs) / 1000;
  const outputTokens = sum(records.map(({ output_tokens }) => output_tokens));
  return {
    ...{ requests: records.length, outputTokens, seconds },
    throughput: outputTokens / seconds,
    ttftMs: distributionOf(known(records.map(({ ttft_ms }) => ttft_ms))),
    tpotMs: distributionOf(known(records.map(({ tpot_ms }) => tpot_ms))),
    userSpeed: distributionOf(known(records.map((record) => record.user_speed_tokens_per_second))),
  };
}

function lessPitots(pairs: readonly Pair[], tools: (pair: Pair) => number, key: 'ttft_ms' | 'decode_ms'): number[] {
  return pairs.flatMap((pair) => {
    const pitots = pair.record[key];
    return pitots === null ? [] : [tools(pair) - pitots];
  });
}

function known(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}

function sum(values: readonly (number | null)[]): number {
  return known(values).reduce((total, value) => total + value, 0);
}
