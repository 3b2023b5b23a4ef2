/**
 * Matches the end of a request path by whole segments; what stands before them is any prefix, as
 * gateways put one. `*` stands for any segment, `{model}` for one that names the model, and
 * `{model}:verb` for one that names it before the verb (Gemini). Nothing is decoded but the name.
 */
export class PathPattern {
  readonly #segments: readonly string[];
  readonly #isWholePath: boolean;

  /** Begins with a slash. The pattern `/` matches nothing but the root. */
  constructor(pattern: string) {
    this.#isWholePath = pattern === '/';
    this.#segments = pattern.split('/').slice(1);
  }

  /** Null when the path does not match, else the model that it names, '' when it names none. */
  match(path: PathEnd): string | null {
    if (this.#isWholePath) return path.isRoot ? '' : null;
    if (this.#segments.length > path.segments.length) return null;
    const offset = path.segments.length - this.#segments.length;
    let model = '';
    for (let i = 0; i < this.#segments.length; i += 1) {
      const named = matchSegment(this.#segments[i] ?? '', path.segments[offset + i] ?? '');
      if (named === null) return null;
      model ||= named;
    }
    return model || deploymentBefore(path.segments, offset);
  }
}

/** The last segments of a path, split once for all patterns. */
export interface PathEnd {
  readonly segments: readonly string[];
  readonly isRoot: boolean;
}

/** More than the longest pattern has, with two to spare for Azure's deployment. */
const MOST_SEGMENTS = 8;

/** Trailing slashes do not matter. Not by a regular expression: those look again from each of ten thousand slashes. */
export function endOf(path: string): PathEnd {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  const segments: string[] = [];
  for (let to = end; segments.length < MOST_SEGMENTS; ) {
    const slash = to === 0 ? -1 : path.lastIndexOf('/', to - 1);
    if (slash < 0) break;
    segments.unshift(path.slice(slash + 1, to));
    to = slash;
  }
  return { segments, isRoot: path === '/' };
}

/** The model that the segment names, '' when it only fits, null when it does not. */
function matchSegment(pattern: string, segment: string): string | null {
  if (pattern === '*') return segment === '' ? null : '';
  if (!pattern.startsWith('{model}')) return pattern === segment ? '' : null;
  const verb = pattern.slice('{model}'.length);
  const name = segment.slice(0, segment.length - verb.length);
  return name !== '' && segment.endsWith(verb) ? unescaped(name) : null;
}

/** Azure: `gpt-4o` of `/openai/deployments/gpt-4o`. */
function deploymentBefore(segments: readonly string[], offset: number): string {
  return segments[offset - 2] === 'deployments' ? unescaped(segments[offset - 1] ?? '') : '';
}

function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
