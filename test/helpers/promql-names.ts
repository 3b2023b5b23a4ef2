/** What an expression of PromQL reads: metrics with their matchers, and the labels it groups or matches by. */
export interface NamesInPromql {
  readonly metrics: readonly MetricUse[];
  /** In `by`, `on` and `group_left`. */
  readonly labels: readonly string[];
}

export interface MetricUse {
  readonly name: string;
  readonly matchers: readonly Matcher[];
}

export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

const CLAUSE = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const DURATION = /\[\d+[a-z]+(:\w*)?\]/g;
const MATCHER = /(\w+)\s*(=~|!~|!=|=)\s*(?:"((?:[^"\\]|\\.)*)"|%q)/g;
const SELECTOR = /([a-zA-Z_:][\w:]*)\s*(?:\{((?:"(?:[^"\\]|\\.)*"|[^"}])*)\})?/g;
const KEYWORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'by', 'on']);

/** No parser: it knows the shapes that rules are written in, and takes for a metric what is no function and no keyword. */
export function namesInPromql(expression: string): NamesInPromql {
  const labels = [...expression.matchAll(CLAUSE)].flatMap(([, list]) => names(list));
  const rest = expression.replace(CLAUSE, ' ').replace(DURATION, ' ');
  const metrics = [...rest.matchAll(SELECTOR)].flatMap((found) => {
    const [whole, name, matchers] = found;
    const isFunction = /^\s*\(/.test(rest.slice(found.index + whole.length));
    if (name === undefined || isFunction || KEYWORDS.has(name)) return [];
    return [{ name, matchers: matchersOf(matchers) }];
  });
  return { metrics, labels };
}

function names(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function matchersOf(list: string | undefined): Matcher[] {
  return [...(list ?? '').matchAll(MATCHER)].map(([, label, operator, value]) => ({
    label: label ?? '',
    operator: operator ?? '',
    value: value ?? '',
  }));
}
