import { readFileSync } from 'node:fs';
import { machineText } from '../bench/machine.ts';
import type { CurvePoint, Difference, StepFigures, Sweep } from './figures.ts';
import { NOTES } from './notes.ts';

/** The run that the documentation speaks of. */
const COMMITTED = new URL('../../docs/engine-sweep.json', import.meta.url);

export function committedSweep(): Sweep {
  return JSON.parse(readFileSync(COMMITTED, 'utf8')) as Sweep;
}

/** Lines of Markdown: a section of docs/ACCURACY.md. */
export function sweepSection(sweep: Sweep): string[] {
  const { time, machine, engine, tool, pitot, seconds, lengths } = sweep;
  return [
    '## Against a public benchmark',
    '',
    `${time.slice(0, 10)}, ${machineText(machine)}; ${engine}; NVIDIA’s ${tool} as the client, Pitot ${pitot} between. \`npm run sweep\` lets the tool keep so many streamed chats in flight for ${seconds} s each (prompts of ${lengths.input} tokens, answers of ${lengths.output}), and sets its table beside what Pitot says of the same requests, found in the usage log by the \`x-request-id\` that the tool sends. Engine, tool and gateway share the machine, so that the engine’s figures say nothing but of this machine; both sides measure the same requests.`,
    '',
    ...sweepTables(sweep),
    '',
    ...NOTES,
  ];
}

/** Lines of Markdown: the figures of a sweep. */
export function sweepTables({ steps, curve }: Sweep): string[] {
  return [
    'Tool / Pitot, and Pitot less the tool:',
    '',
    ...table(
      [
        'at once',
        'requests',
        'TTFT, mean, ms',
        'p50',
        'p95',
        'ITL (TPOT), mean, ms',
        'per user, mean, tokens/s',
        'p50',
        'system, tokens/s',
      ],
      steps.map(sideBySide),
    ),
    '',
    '`/metrics` over the same minutes, and Pitot less the tool:',
    '',
    ...table(
      [
        'at once',
        'output tokens: tool',
        'engine to tool',
        'Pitot’s records',
        'counter',
        'TTFT, mean, ms',
        'TPOT, mean, ms',
        'per user, mean',
        'tokens ÷ busy time',
      ],
      steps.map(fromMetrics),
    ),
    '',
    'Request by request, the tool less Pitot, median / 99th percentile:',
    '',
    ...table(
      ['at once', 'TTFT', 'first to last token', 'without a record', 'with another count'],
      steps.map((step) => [
        String(step.concurrency),
        difference(step.ttftDifferenceMs),
        difference(step.decodeDifferenceMs),
        String(step.unmatched),
        String(step.miscounted),
      ]),
    ),
    '',
    '`/api/operating-curve`, and the same windows filled with the tool’s times: tool / Pitot, and Pitot less the tool:',
    '',
    ...table(
      ['bin', 'windows', 'throughput, p50, tokens/s', 'against its own table', 'per user, p50', 'TTFT, p50, ms'],
      curve.map((point) => curveRow(point, steps)),
    ),
  ];
}

function sideBySide({ concurrency, tool, pitot }: StepFigures): string[] {
  return [
    String(concurrency),
    pair(tool.requests, pitot.requests, 0),
    pair(tool.ttftMs.mean, pitot.ttftMs.mean, 1),
    pair(tool.ttftMs.p50, pitot.ttftMs.p50, 1),
    pair(tool.ttftMs.p95, pitot.ttftMs.p95, 1),
    pair(tool.tpotMs.mean, pitot.tpotMs.mean, 2),
    pair(tool.userSpeed.mean, pitot.userSpeed.mean, 2),
    pair(tool.userSpeed.p50, pitot.userSpeed.p50, 2),
    pair(tool.throughput, pitot.throughput, 2),
  ];
}

function fromMetrics({ concurrency, tool, reportedTokens, pitot, counted }: StepFigures): string[] {
  const busy = counted.busySeconds === 0 ? null : counted.outputTokens / counted.busySeconds;
  return [
    String(concurrency),
    number(tool.outputTokens, 0),
    number(reportedTokens, 0),
    number(pitot.outputTokens, 0),
    number(counted.outputTokens, 0),
    against(counted.ttftMeanMs, tool.ttftMs.mean, 1),
    against(counted.tpotMeanMs, tool.tpotMs.mean, 2),
    against(counted.userSpeedMean, tool.userSpeed.mean, 2),
    against(busy, tool.throughput, 2),
  ];
}

function curveRow({ concurrency, pitot, tool }: CurvePoint, steps: readonly StepFigures[]): string[] {
  const step = steps.find((one) => one.concurrency === concurrency);
  return [
    String(concurrency),
    pair(tool?.windows ?? null, pitot.windows, 0),
    pair(tool?.throughput ?? null, pitot.throughput, 2),
    share(pitot.throughput, step?.tool.throughput ?? null),
    pair(tool?.userSpeed ?? null, pitot.userSpeed, 2),
    pair(tool?.ttftMs ?? null, pitot.ttftMs, 0),
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** `12.2 / 12.3 (+0.82 %)`; one number where both say the same. */
function pair(tool: number | null, pitot: number | null, digits: number): string {
  if (tool === pitot) return number(tool, digits);
  return `${number(tool, digits)} / ${against(pitot, tool, digits)}`;
}

/** `12.3 (+0.10 %)` */
function against(value: number | null, other: number | null, digits: number): string {
  const less = share(value, other);
  return less === '–' ? number(value, digits) : `${number(value, digits)} (${less})`;
}

function share(value: number | null, other: number | null): string {
  if (value === null || other === null || other === 0) return '–';
  const percent = 100 * (value / other - 1);
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(2)} %`;
}

function difference({ p50, p99 }: Difference): string {
  return `${signed(p50)} / ${signed(p99)} ms`;
}

function signed(ms: number): string {
  return `${ms < 0 ? '−' : '+'}${Math.abs(ms).toFixed(2)}`;
}

function number(value: number | null, digits: number): string {
  if (value === null) return '–';
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
