import type { Spread } from '../live/spread.ts';
import type { OperatingPoint, Plan, PlanAsk } from './plan-types.ts';

type Cell = (point: OperatingPoint) => string | null;

/** What stands where something is not known. */
const UNKNOWN = '–';

const ROWS: readonly (readonly [title: string, cell: Cell])[] = [
  ['GPUs', ({ gpus }) => counted(gpus)],
  ['  before rounding up', ({ gpus_exact }) => counted(gpus_exact)],
  ['GPU-hours a day', (point) => counted(point.gpu_hours_per_day)],
  ['dollars a day', (point) => dollars(point.dollars_per_day)],
  ['  for whole GPUs, all day', (point) => dollars(point.dollars_per_day_whole_gpus)],
  ['  same tokens, reference price', (point) => dollars(point.reference_dollars_per_day)],
  ['dollars per million output tokens', (point) => dollars(point.dollars_per_million_output_tokens)],
  ['output tokens/s of one GPU', (point) => counted(point.tokens_per_second_per_gpu)],
  ['concurrency of the upstream', (point) => counted(point.concurrency)],
  ['TTFT p95', ({ ttft_p95 }) => (ttft_p95 === null ? null : `${counted(ttft_p95)} s`)],
  ['input tokens p5 / p50 / p95', (point) => spreadText(point.input_tokens)],
  ['output tokens p5 / p50 / p95', (point) => spreadText(point.output_tokens)],
  ['windows behind it', (point) => counted(point.windows)],
];

/** For people: interactive and batch side by side, and under them how far the data reaches. */
export function planTable(plans: readonly Plan[], ask: PlanAsk): string {
  const target = ask.ttftSloSeconds === null ? '' : `, TTFT within ${ask.ttftSloSeconds} s for 95 %`;
  const head = `${ask.tokensPerDay.toLocaleString('en-US')} output tokens a day${target}`;
  return `${[head, ...plans.map(planText)].join('\n\n')}\n`;
}

function planText({ upstream, model, interactive, batch, reason }: Plan): string {
  const conditions = Object.entries(interactive?.conditions ?? batch?.conditions ?? {});
  const labels = conditions.map(([name, value]) => `${name}=${value}`).join(', ');
  const rows = ROWS.map(([title, cell]) => [title, textOf(interactive, cell), textOf(batch, cell)] as const);
  const shown = rows.filter(([, ...cells]) => cells.some((cell) => cell !== UNKNOWN));
  const lines = [['', 'interactive', 'batch'] as const, ...shown];
  const width = (column: 0 | 1 | 2) => Math.max(...lines.map((line) => line[column].length));
  const [first, second, third] = [width(0), width(1), width(2)];
  return [
    `${upstream} · ${model}${labels === '' ? '' : ` · ${labels}`}`,
    ...lines.map(
      ([title, left, right]) => `${title.padEnd(first)}  ${left.padStart(second)}  ${right.padStart(third)}`,
    ),
    ...reason.split('; ').map((sentence) => `- ${sentence}`),
  ].join('\n');
}

function textOf(point: OperatingPoint | null, cell: Cell): string {
  return (point === null ? null : cell(point)) ?? UNKNOWN;
}

function counted(value: number): string;
function counted(value: number | null): string | null;
function counted(value: number | null): string | null {
  return value === null ? null : value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
}

function dollars(value: number | null): string | null {
  if (value === null) return null;
  const digits = value < 10 ? { maximumSignificantDigits: 3 } : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return `$${value.toLocaleString('en-US', digits)}`;
}

function spreadText(spread: Spread | null): string | null {
  if (spread === null) return null;
  return [spread.p5, spread.p50, spread.p95].map((tokens) => counted(Math.round(tokens))).join(' / ');
}
