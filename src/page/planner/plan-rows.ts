import type { Spread } from '../../live/spread.ts';
import type { OperatingPoint, Plan } from '../../plan/plan-types.ts';
import { labelled } from '../text/conditions.ts';
import { dollars, NO_FIGURE, rate, whole } from '../text/format.ts';
import { duration } from '../text/time.ts';

/** One line of a plan: the same figure at both operating points. */
export interface PlanRow {
  title: string;
  interactive: string;
  batch: string;
  isMain: boolean;
}

const ROWS: readonly { title: string; isMain?: boolean; text: (point: OperatingPoint) => string }[] = [
  { title: 'GPUs', isMain: true, text: gpus },
  { title: 'GPU-hours a day', isMain: true, text: ({ gpu_hours_per_day: hours }) => rate(hours) },
  { title: 'Cost a day', isMain: true, text: ({ dollars_per_day: perDay }) => dollars(perDay) },
  { title: 'for whole GPUs, all day', text: ({ dollars_per_day_whole_gpus: perDay }) => dollars(perDay) },
  { title: 'same tokens, reference price', text: ({ reference_dollars_per_day: perDay }) => dollars(perDay) },
  { title: 'per million output tokens', text: ({ dollars_per_million_output_tokens: cost }) => dollars(cost) },
  { title: 'Tok/s of one GPU', text: ({ tokens_per_second_per_gpu: perGpu }) => rate(perGpu) },
  { title: 'At concurrency', text: ({ concurrency }) => whole(concurrency) },
  { title: 'TTFT p95', text: ({ ttft_p95: ttft }) => duration(ttft === null ? null : ttft * 1_000) },
  { title: 'Input tokens, median', text: ({ input_tokens: input }) => median(input) },
  { title: 'Output tokens, median', text: ({ output_tokens: output }) => median(output) },
  { title: 'Windows behind it', text: ({ windows }) => whole(windows) },
];

/** Lines on which at least one side has a figure. */
export function planRows({ interactive, batch }: Plan): PlanRow[] {
  return ROWS.map(({ title, text, isMain }) => ({
    title,
    interactive: interactive === null ? NO_FIGURE : text(interactive),
    batch: batch === null ? NO_FIGURE : text(batch),
    isMain: isMain === true,
  })).filter((row) => row.interactive !== NO_FIGURE || row.batch !== NO_FIGURE);
}

/** How far it reaches, and what it rests on, in sentences. */
export function planConditions({ interactive, batch, reason }: Plan): string[] {
  const labels = labelled(interactive?.conditions ?? batch?.conditions ?? {});
  const sentences = reason.split('; ').filter((sentence) => sentence !== '');
  return labels === '' ? sentences : [`conditions: ${labels}`, ...sentences];
}

function gpus({ gpus: count, gpus_exact: exact }: OperatingPoint): string {
  if (count === null) return NO_FIGURE;
  return exact === null ? whole(count) : `${whole(count)} (${exact.toFixed(2)})`;
}

function median(spread: Spread | null): string {
  return whole(spread?.p50 ?? null);
}
