import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Child, Children } from '../bench/children.ts';
import type { Distribution, Side } from './figures.ts';
import type { Options } from './options.ts';

/** After the last request began, for those in flight to end. */
const GRACE_SECONDS = 120;

/** One request as the tool saw it. */
export interface ToolRequest {
  /** It sends it as `x-request-id`, so that a usage record can be found by it. */
  readonly id: string;
  /** Unix milliseconds. */
  readonly startMs: number;
  readonly ttftMs: number;
  readonly decodeMs: number;
  /** Between one chunk with content and the next. */
  readonly gapsMs: readonly number[];
  /** As the engine reported them; null where it did not. */
  readonly reportedTokens: number | null;
}

export interface ToolStep {
  readonly version: string;
  readonly side: Side;
  readonly requests: readonly ToolRequest[];
}

/** Runs one step of the sweep and reads what the tool left. @throws Error with its last words when it fails. */
export async function runStep(children: Children, options: Options, at: { url: string; concurrency: number }) {
  const folder = join(children.directory, `aiperf-${at.concurrency}`);
  const child = children.start('aiperf', [options.aiperf, ...stepArguments(options, { ...at, folder })]);
  await ended(child);
  const { exitCode } = child.process;
  if (exitCode !== 0) {
    const words = readFileSync(child.logFile, 'utf8').trim().split('\n').slice(-20).join('\n');
    throw new Error(`AIPerf ended with ${exitCode}. It said:\n${words}`);
  }
  return readStep(folder);
}

async function ended({ process }: Child): Promise<void> {
  if (process.exitCode === null && process.signalCode === null) await once(process, 'exit');
}

function stepArguments(options: Options, at: { url: string; concurrency: number; folder: string }): string[] {
  const { input, output } = options;
  const flags: Record<string, string | number> = {
    '--model': options.model,
    '--url': at.url,
    '--endpoint-type': 'chat',
    '--tokenizer': options.tokenizer,
    '--concurrency': at.concurrency,
    '--benchmark-duration': options.seconds,
    '--benchmark-grace-period': GRACE_SECONDS,
    '--isl': input.mean,
    '--isl-stddev': input.deviation,
    '--osl': output.mean,
    '--osl-stddev': output.deviation,
    // Prompts of one step never come again in another: an engine that remembers them would answer sooner.
    '--random-seed': at.concurrency,
    '--num-dataset-entries': 400,
    '--artifact-dir': at.folder,
    '--export-level': 'records',
    '--ui': 'none',
  };
  const valued = Object.entries(flags).flatMap(([flag, value]) => [flag, String(value)]);
  // It would ask the engine's `/metrics` through the gateway as well.
  return ['profile', '--streaming', '--no-server-metrics', '--no-gpu-telemetry', ...valued];
}

interface Statistics {
  avg: number;
  p50: number;
  p95: number;
}

/** Of `profile_export_aiperf.json`, what is compared. */
interface Summary {
  aiperf_version: string;
  request_count: { avg: number };
  total_osl: { avg: number };
  benchmark_duration: { avg: number };
  output_token_throughput: { avg: number };
  time_to_first_token: Statistics;
  inter_token_latency: Statistics;
  output_token_throughput_per_user: Statistics;
}

/** A line of `profile_export.jsonl`. */
interface Line {
  metadata: { x_request_id: string; request_start_ns: number };
  metrics: Record<string, { value: number | number[] }>;
  error?: unknown;
}

/** @throws Error where the export is not what AIPerf 0.13 writes. */
export function readStep(folder: string): ToolStep {
  const summary = JSON.parse(readFileSync(join(folder, 'profile_export_aiperf.json'), 'utf8')) as Summary;
  const lines = readFileSync(join(folder, 'profile_export.jsonl'), 'utf8').split('\n').filter(Boolean);
  return {
    version: summary.aiperf_version,
    side: {
      requests: summary.request_count.avg,
      outputTokens: summary.total_osl.avg,
      seconds: summary.benchmark_duration.avg,
      throughput: summary.output_token_throughput.avg,
      ttftMs: told(summary.time_to_first_token),
      tpotMs: told(summary.inter_token_latency),
      userSpeed: told(summary.output_token_throughput_per_user),
    },
    requests: lines.map((line) => requestOf(JSON.parse(line) as Line)),
  };
}

function told({ avg, p50, p95 }: Statistics): Distribution {
  return { mean: avg, p50, p95 };
}

function requestOf({ metadata, metrics }: Line): ToolRequest {
  const gaps = metrics['inter_chunk_latency']?.value;
  return {
    id: metadata.x_request_id,
    startMs: metadata.request_start_ns / 1e6,
    ttftMs: single(metrics, 'time_to_first_token'),
    decodeMs: single(metrics, 'decode_duration'),
    gapsMs: Array.isArray(gaps) ? gaps : [],
    reportedTokens:
      metrics['usage_completion_tokens'] === undefined ? null : single(metrics, 'usage_completion_tokens'),
  };
}

function single(metrics: Line['metrics'], name: string): number {
  const value = metrics[name]?.value;
  if (typeof value !== 'number') throw new Error(`A request in AIPerf's export has no ${name}.`);
  return value;
}
