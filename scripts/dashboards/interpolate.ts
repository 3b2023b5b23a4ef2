/** What Grafana puts in the place of variables before a query goes to Prometheus. */
export interface Interpolation {
  /** The step between two points, in seconds: see `stepSeconds`. */
  readonly stepSeconds: number;
  /** The scrape interval that the data source is told. */
  readonly scrapeSeconds: number;
  readonly rangeSeconds: number;
  /** What is chosen of each variable; the text of `allValue` where it is All. */
  readonly chosen: Readonly<Record<string, Choice>>;
}

export type Choice = { readonly all: string } | readonly string[];

export interface StepRequest {
  readonly rangeSeconds: number;
  /** Pixels of the panel, as a rule. */
  readonly points: number;
  readonly scrapeSeconds: number;
  /** The panel's own shortest step, 0 where it has none. */
  readonly leastSeconds: number;
}

/** No shorter than a scrape or than the panel wants; Grafana also rounds it up to a pleasant number, whole seconds here. */
export function stepSeconds({ rangeSeconds, points, scrapeSeconds, leastSeconds }: StepRequest): number {
  return Math.max(Math.ceil(rangeSeconds / points), scrapeSeconds, leastSeconds);
}

/** `$__rate_interval`: long enough for two samples in every window, whatever the step (Grafana's documentation). */
export function rateIntervalSeconds(step: number, scrape: number): number {
  return Math.max(step + scrape, 4 * scrape);
}

const VARIABLE = /\$\{(\w+)(?::\w+)?\}|\$(\w+)/g;

/** Throws RangeError for a variable that nobody chose a value of: Grafana would send it as it stands, and nothing would match. */
export function interpolate(expr: string, interpolation: Interpolation): string {
  return expr.replaceAll(VARIABLE, (_whole, braced: string | undefined, plain: string | undefined) =>
    replacement(braced ?? plain ?? '', interpolation),
  );
}

function replacement(name: string, { stepSeconds: step, scrapeSeconds, rangeSeconds, chosen }: Interpolation): string {
  switch (name) {
    case '__rate_interval':
      return `${rateIntervalSeconds(step, scrapeSeconds)}s`;
    case '__interval':
      return `${step}s`;
    case '__interval_ms':
      return `${step * 1_000}`;
    case '__range':
      return `${rangeSeconds}s`;
    case '__range_s':
      return `${rangeSeconds}`;
  }
  const choice = chosen[name];
  if (choice === undefined) throw new RangeError(`no value for the variable $${name}`);
  return 'all' in choice ? choice.all : alternatives(choice);
}

/** Values of a variable that may have several are parts of a regular expression inside a PromQL string: escaped twice. */
function alternatives(values: readonly string[]): string {
  const escaped = values.map((value) => value.replaceAll('\\', '\\\\\\\\').replaceAll(/[$^*{}[\]'+?.()|]/g, '\\\\$&'));
  const [only] = escaped;
  return escaped.length === 1 && only !== undefined ? only : `(${escaped.join('|')})`;
}
