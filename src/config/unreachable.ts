import type { Finding } from './check.ts';
import type { Config, UpstreamConfig } from './schema.ts';

/** Entries that no request can reach because an earlier one takes all of theirs. Allowed, but hardly meant: warnings. */
export function findUnreachable({ upstreams, workloads, models }: Config): Finding[] {
  return [
    ...shadowed('upstreams', upstreams, takesAllOf),
    ...shadowed('workloads', workloads, ({ match: a }, { match: b }) =>
      Object.entries(a.header).every(([name, value]) => b.header[name] === value),
    ),
    ...shadowed('models', models, (a, b) => a.match === b.match || a.match === '*'),
  ];
}

function shadowed<T>(list: string, items: readonly T[], takesAll: (earlier: T, later: T) => boolean): Finding[] {
  return items.flatMap((later, index) => {
    const earlier = items.slice(0, index).findIndex((item) => takesAll(item, later));
    if (earlier === -1) return [];
    const message = `never reached: ${list}[${earlier}] takes all of its requests, and the first match wins`;
    return [{ paths: [`${list}[${index}]`] as const, message }];
  });
}

function takesAllOf({ match: a }: UpstreamConfig, { match: b }: UpstreamConfig): boolean {
  const prefix = a.path.endsWith('/') ? a.path : `${a.path}/`;
  const isPathWithin = `${b.path}/`.startsWith(prefix);
  const isHostWithin = a.host === null || a.host.toLowerCase() === b.host?.toLowerCase();
  return isPathWithin && isHostWithin && (a.model === null || a.model === b.model);
}
