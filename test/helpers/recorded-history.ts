import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

/** What two replicas recorded while the concurrency of their upstream stayed at one value. */
export interface Stage {
  minutes: number;
  concurrency: number;
  tokensPerSecond: number;
  ttftSeconds: number;
  speed: number;
}

export const SCRAPE_SECONDS = 15;
const INPUT = 400;
const OUTPUT = 100;
const REPLICAS = [
  { instance: 'a:9464', share: 0.6 },
  { instance: 'b:9464', share: 0.4 },
];
const TTFT_BOUNDS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 2, 5];
const SPEED_BOUNDS = [5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 200];
const LENGTH_BOUNDS = [64, 128, 256, 512, 1_024];
const W = 'upstream="a",model="tiny",workload="chat"';
const M = 'upstream="a",model="tiny"';

type Sample = { labels: string; value: number; atSeconds: number };
type Family = { type: 'counter' | 'gauge' | 'histogram'; samples: Map<string, Sample[]> };

/** A recorded history up to `endSeconds`, as Prometheus would have scraped it from two Pitots. */
class History {
  readonly #families = new Map<string, Family>();

  add(name: string, type: Family['type'], { suffix = '', ...sample }: Sample & { suffix?: string }): void {
    const family = this.#families.get(name) ?? { type, samples: new Map<string, Sample[]>() };
    this.#families.set(name, family);
    const key = `${name}${suffix}{${sample.labels}}`;
    const list = family.samples.get(key) ?? [];
    family.samples.set(key, list);
    list.push(sample);
  }

  get text(): string {
    const lines = [...this.#families].flatMap(([name, { type, samples }]) => [
      `# TYPE ${name} ${type}`,
      ...[...samples].flatMap(([key, list]) => list.map(({ value, atSeconds }) => `${key} ${value} ${atSeconds}`)),
    ]);
    return `${lines.join('\n')}\n# EOF\n`;
  }
}

/** How often each value was seen. */
interface Histogram {
  name: string;
  labels: string;
  bounds: readonly number[];
  counts: ReadonlyMap<number, number>;
}

/** Counters of one replica, as they stand. */
class Replica {
  readonly #where: string;
  readonly #sums = { tokens: 0, requests: 0, phase: 0 };
  readonly #counts = new Map<number, number>();
  readonly #speeds = new Map<number, number>();

  constructor(instance: string) {
    // A Kubernetes operator adds such labels to whatever it scrapes.
    this.#where = `instance="${instance}",job="pitot",namespace="llm",pod="pitot-${instance[0]}"`;
  }

  advance({ concurrency, tokensPerSecond, ttftSeconds, speed }: Stage, share: number): void {
    const requests = (tokensPerSecond * share * SCRAPE_SECONDS) / OUTPUT;
    this.#sums.tokens += tokensPerSecond * share * SCRAPE_SECONDS;
    this.#sums.requests += requests;
    this.#sums.phase += concurrency * share * SCRAPE_SECONDS;
    this.#counts.set(ttftSeconds, (this.#counts.get(ttftSeconds) ?? 0) + requests);
    this.#speeds.set(speed, (this.#speeds.get(speed) ?? 0) + requests);
  }

  scrape(history: History, atSeconds: number): void {
    const gauges = [
      ['pitot_build_info', 'version="1"', 1],
      ['pitot_upstream_info', 'upstream="a",engine="vllm",gpu="H100"', 1],
      ['pitot_upstream_gpus', 'upstream="a"', 2],
      ['pitot_gpu_price_dollars_per_hour', 'upstream="a"', 2.5],
      ['pitot_slo_threshold_seconds', 'workload="chat",slo="ttft"', 0.5],
      ['pitot_reference_price_dollars_per_million_tokens', 'model="tiny",kind="input"', 0.05],
      ['pitot_reference_price_dollars_per_million_tokens', 'model="tiny",kind="output"', 0.08],
    ] as const;
    for (const [name, labels, value] of gauges)
      history.add(name, 'gauge', { labels: `${labels},${this.#where}`, value, atSeconds });
    const counter = (name: string, labels: string, value: number) =>
      history.add(name, 'counter', { labels: `${labels},${this.#where}`, value, atSeconds, suffix: '_total' });
    counter('pitot_output_tokens', W, this.#sums.tokens);
    counter('pitot_input_tokens', `${W},cache="miss"`, this.#sums.requests * INPUT * 0.75);
    counter('pitot_input_tokens', `${W},cache="hit"`, this.#sums.requests * INPUT * 0.25);
    counter('pitot_request_phase_seconds', `${W},phase="decode"`, this.#sums.phase);
    const once = (value: number) => new Map([[value, this.#sums.requests]]);
    const histograms: readonly Histogram[] = [
      { name: 'pitot_time_to_first_token_seconds', labels: W, bounds: TTFT_BOUNDS, counts: this.#counts },
      { name: 'pitot_user_speed_tokens_per_second', labels: W, bounds: SPEED_BOUNDS, counts: this.#speeds },
      { name: 'pitot_request_input_tokens', labels: M, bounds: LENGTH_BOUNDS, counts: once(INPUT) },
      { name: 'pitot_request_output_tokens', labels: M, bounds: LENGTH_BOUNDS, counts: once(OUTPUT) },
    ];
    for (const histogram of histograms) this.#histogram(history, histogram, atSeconds);
  }

  #histogram(history: History, { name, labels, bounds, counts }: Histogram, atSeconds: number): void {
    const atMost = (bound: number) =>
      [...counts].reduce((sum, [value, count]) => sum + (value <= bound ? count : 0), 0);
    for (const bound of [...bounds, Number.POSITIVE_INFINITY]) {
      const le = Number.isFinite(bound) ? bound : '+Inf';
      const value = atMost(bound);
      history.add(name, 'histogram', {
        labels: `${labels},${this.#where},le="${le}"`,
        value,
        atSeconds,
        suffix: '_bucket',
      });
    }
  }
}

/** Writes the history into a data folder that a real Prometheus then starts with. Throws what promtool says. */
export function recordHistory(folder: string, stages: readonly Stage[], endSeconds: number): void {
  const minutes = stages.reduce((sum, stage) => sum + stage.minutes, 0);
  let atSeconds = endSeconds - minutes * 60;
  const history = new History();
  const replicas = REPLICAS.map(({ instance, share }) => ({ replica: new Replica(instance), share }));
  for (const stage of stages) {
    for (let scrape = 0; scrape < (stage.minutes * 60) / SCRAPE_SECONDS; scrape += 1) {
      for (const { replica, share } of replicas) {
        replica.scrape(history, atSeconds);
        replica.advance(stage, share);
      }
      atSeconds += SCRAPE_SECONDS;
    }
  }
  const file = `${folder}/history.om`;
  writeFileSync(file, history.text);
  const { status, stderr } = spawnSync(
    'promtool',
    ['tsdb', 'create-blocks-from', 'openmetrics', file, `${folder}/tsdb`],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`promtool: ${stderr}`);
}
