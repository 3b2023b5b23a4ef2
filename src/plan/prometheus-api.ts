import { fetchJson, PlanFault, type Source } from './fetch-json.ts';

/** One series of an answer; times in Unix seconds. */
export interface Series {
  labels: Readonly<Record<string, string>>;
  points: readonly { atSeconds: number; value: number }[];
}

export interface Steps {
  startSeconds: number;
  endSeconds: number;
  stepSeconds: number;
}

/** When the sample at an index was, from the end where that is negative; 0 without one. */
export function secondsOf({ points }: Series, index: number): number {
  return points.at(index)?.atSeconds ?? 0;
}

/** What can be asked of recorded metrics. */
export type RecordedMetrics = Pick<PrometheusApi, 'query' | 'range'>;

/** The HTTP API of Prometheus, as far as Thanos, Mimir and VictoriaMetrics speak it too. Rejects with a PlanFault. */
export class PrometheusApi {
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  /** An instant query now: the values of a vector, or all samples of a range. */
  async query(expression: string): Promise<Series[]> {
    return this.#series(`/api/v1/query?${new URLSearchParams({ query: expression })}`);
  }

  async range(expression: string, { startSeconds, endSeconds, stepSeconds }: Steps): Promise<Series[]> {
    const query = { query: expression, start: `${startSeconds}`, end: `${endSeconds}`, step: `${stepSeconds}` };
    return this.#series(`/api/v1/query_range?${new URLSearchParams(query)}`);
  }

  async #series(pathAndQuery: string): Promise<Series[]> {
    const answer = await fetchJson(this.#source, pathAndQuery);
    const data = property(answer, 'data');
    const result = property(data, 'result');
    if (property(answer, 'status') !== 'success' || !Array.isArray(result))
      throw new PlanFault(`${this.#source.flag} ${this.#source.base}: expected a Prometheus, got something else`);
    return result.map(seriesOf);
  }
}

function seriesOf(result: unknown): Series {
  const labels = property(result, 'metric');
  const pairs = Object.entries(typeof labels === 'object' && labels !== null ? labels : {});
  const values = property(result, 'values');
  const value = property(result, 'value');
  const samples: unknown[] = Array.isArray(values) ? values : [value];
  return {
    labels: Object.fromEntries(pairs.map(([name, label]) => [name, String(label)])),
    points: samples.flatMap((sample) =>
      Array.isArray(sample) ? [{ atSeconds: Number(sample[0]), value: Number(sample[1]) }] : [],
    ),
  };
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
