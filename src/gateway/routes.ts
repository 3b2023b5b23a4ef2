import { type Glob, globOf } from '../config/glob.ts';
import type { Upstream } from './upstreams.ts';

interface Route {
  upstream: Upstream;
  path: string;
  host: string | null;
  model: Glob | null;
}

/** Which upstream takes a request: the first whose path prefix, host and model all match (CONTRACT §3). */
export class Routes {
  readonly #routes: readonly Route[];

  constructor(upstreams: readonly Upstream[]) {
    this.#routes = upstreams.map((upstream) => {
      const { path, host, model } = upstream.config.match;
      return {
        upstream,
        path: path.endsWith('/') ? path.slice(0, -1) : path,
        host: host === null ? null : host.toLowerCase(),
        model: model === null ? null : globOf(model),
      };
    });
  }

  /**
   * `model`: null when the request names none, undefined while that is not known yet.
   * Null when nothing matches; `'by-model'` when the answer hangs on a model not known yet.
   */
  find(path: string, host: string | undefined, model: string | null | undefined): Upstream | 'by-model' | null {
    for (const route of this.#routes) {
      if (!isUnder(route.path, path) || !isHost(route.host, host)) continue;
      if (route.model === null) return route.upstream;
      if (model === undefined) return 'by-model';
      if (model !== null && route.model(model)) return route.upstream;
    }
    return null;
  }
}

/** By whole segments, on the path as it was sent: `/v1` takes `/v1` and `/v1/x`, not `/v1x`. */
function isUnder(prefix: string, path: string): boolean {
  if (!path.startsWith(prefix)) return false;
  return path.length === prefix.length || path[prefix.length] === '/';
}

/** Without a port the configured host stands for every port. */
function isHost(wanted: string | null, sent: string | undefined): boolean {
  if (wanted === null) return true;
  if (sent === undefined) return false;
  const host = sent.toLowerCase();
  return host === wanted || (host.startsWith(`${wanted}:`) && /^:[0-9]*$/.test(host.slice(wanted.length)));
}
