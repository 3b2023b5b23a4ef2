import { type Figure, type SeriesFigures, seriesIn, seriesKey } from '../curve/series-figures.ts';
import type { ClosedWindow } from '../curve/window.ts';
import { BucketCounts } from './bucket-counts.ts';
import type { RecordedMetrics, Series, Steps } from './prometheus-api.ts';

/** Workload of figures that are recorded per model only. */
const ALL_WORKLOADS = '';

/** Histograms that become figures, and how many of the figure's units make one of the metric's. */
const HISTOGRAMS: readonly { metric: string; figure: Figure; per: number; labels: string }[] = [
  { metric: 'pitot_time_to_first_token_seconds', figure: 'ttft', per: 1000, labels: 'model, workload' },
  { metric: 'pitot_user_speed_tokens_per_second', figure: 'speed', per: 1, labels: 'model, workload' },
  { metric: 'pitot_request_input_tokens', figure: 'input', per: 1, labels: 'model' },
  { metric: 'pitot_request_output_tokens', figure: 'output', per: 1, labels: 'model' },
];

/** One step of one upstream: what a window of live traffic is, made from recorded counters summed over all replicas. */
export class RecordedStep {
  concurrency = 0;
  /** The part of it that is not streamed. */
  unstreamed = 0;
  tokensPerSecond = 0;
  readonly durations = new BucketCounts();
  readonly #series = new Map<string, SeriesFigures>();
  readonly #buckets = new Map<string, { figures: SeriesFigures; figure: Figure; per: number; counts: BucketCounts }>();

  /** Once, when everything was told. */
  close(): Omit<ClosedWindow, 'fromMs'> {
    for (const { figures, figure, per, counts } of this.#buckets.values()) {
      if (figure === 'ttft') figures.firstTokens += counts.total;
      counts.intoBins(figures.bins[figure], per);
    }
    return { concurrency: this.concurrency, tokensPerSecond: this.tokensPerSecond, series: this.#series.values() };
  }

  /** Of those that ended in it, no less than it was. */
  get longestAnswerSeconds(): number {
    return this.durations.highest;
  }

  /** The models whose output tokens were counted in it. */
  generatingModels(): string[] {
    return [...this.#series.values()].filter(({ sums }) => sums.output > 0).map(({ model }) => model);
  }

  figuresOf(labels: Series['labels']): SeriesFigures {
    return seriesIn(this.#series, {
      model: labels['model'] ?? 'unknown',
      workload: labels['workload'] ?? ALL_WORKLOADS,
    });
  }

  bucket(labels: Series['labels'], { figure, per }: { figure: Figure; per: number }, count: number): void {
    const figures = this.figuresOf(labels);
    const key = `${figure}\n${seriesKey(figures)}`;
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = { figures, figure, per, counts: new BucketCounts() };
      this.#buckets.set(key, bucket);
    }
    bucket.counts.add(labels['le'] ?? '', count);
  }
}

/** Steps by upstream and time (Unix seconds). */
type StepsByUpstream = Map<string, Map<number, RecordedStep>>;

/** Everything that was recorded in some steps: nine range queries. */
export async function recordedSteps(api: RecordedMetrics, steps: Steps): Promise<StepsByUpstream> {
  const found: StepsByUpstream = new Map();
  const over = `[${steps.stepSeconds}s]`;
  const each = async (
    expression: string,
    take: (step: RecordedStep, labels: Series['labels'], value: number) => void,
  ) => {
    for (const { labels, points } of await api.range(expression, steps)) {
      for (const { atSeconds, value } of points) {
        if (value > 0) take(stepOf(found, labels['upstream'] ?? 'unknown', atSeconds), labels, value);
      }
    }
  };
  await each(`sum by (upstream, phase) (rate(pitot_request_phase_seconds_total${over}))`, (step, labels, value) => {
    step.concurrency += value;
    if (labels['phase'] === 'unstreamed') step.unstreamed += value;
  });
  await each(`sum by (upstream) (rate(pitot_output_tokens_total${over}))`, (step, _labels, value) => {
    step.tokensPerSecond = value;
  });
  const durations = `sum by (upstream, le) (increase(pitot_request_duration_seconds_bucket${over}))`;
  await each(durations, (step, { le = '' }, value) => step.durations.add(le, value));
  for (const histogram of HISTOGRAMS) {
    const { metric, labels } = histogram;
    const expression = `sum by (upstream, ${labels}, le) (increase(${metric}_bucket${over}))`;
    await each(expression, (step, own, value) => step.bucket(own, histogram, value));
  }
  await each(
    `sum by (upstream, model, workload) (increase(pitot_output_tokens_total${over}))`,
    (step, labels, value) => {
      step.figuresOf(labels).sums.output += value;
    },
  );
  const byCache = `sum by (upstream, model, workload, cache) (increase(pitot_input_tokens_total${over}))`;
  await each(byCache, (step, labels, value) => {
    const { sums } = step.figuresOf(labels);
    sums.input += value;
    if (labels['cache'] === 'hit') sums.cachedInput += value;
  });
  return found;
}

function stepOf(found: StepsByUpstream, upstream: string, atSeconds: number): RecordedStep {
  const own = found.get(upstream) ?? new Map<number, RecordedStep>();
  found.set(upstream, own);
  const step = own.get(atSeconds) ?? new RecordedStep();
  own.set(atSeconds, step);
  return step;
}
