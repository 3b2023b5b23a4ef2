import { isLoopback, parseAddress } from './addresses.ts';
import type { Config } from './schema.ts';

/** What a schema cannot say: rules between keys. Each finding names the paths it looked at, the one to mend first. */
export interface Finding {
  paths: readonly [string, ...string[]];
  message: string;
}

export function findFaults(config: Config): Finding[] {
  return [
    ...noUpstream(config),
    ...addresses(config),
    ...duplicates('upstreams', config.upstreams),
    ...duplicates('workloads', config.workloads),
    ...config.upstreams.flatMap(({ conditions }, index) =>
      reservedLabels(conditions, `upstreams[${index}].conditions`),
    ),
    ...config.workloads.flatMap((workload, index) => workloadFaults(workload, `workloads[${index}]`)),
    ...keysAsNames(config),
    ...sizes(config),
    ...sharedFiles(config),
  ];
}

function noUpstream({ upstreams }: Config): Finding[] {
  if (upstreams.length > 0) return [];
  const ways = 'give --upstream URL, set PITOT_UPSTREAM or list one under upstreams in the --config file';
  return [{ paths: ['upstreams'], message: `expected at least one upstream, got none: ${ways}` }];
}

function addresses({ listen, admin }: Config): Finding[] {
  const findings: Finding[] = [];
  const own = parseAddress(listen);
  const adminOwn = parseAddress(admin.listen);
  if (isOpenToEveryone(admin.listen, admin)) {
    const message = `expected a loopback address, a token or "public: true", got ${admin.listen} open to everyone`;
    findings.push({ paths: ['admin.listen', 'admin.token', 'admin.public'], message });
  }
  const isSamePort = own !== null && own.port !== 0 && own.port === adminOwn?.port;
  const hosts = new Set([own?.host, adminOwn?.host]);
  if (isSamePort && (hosts.size === 1 || hosts.has('0.0.0.0') || hosts.has('::'))) {
    const message = `expected an address apart from the one of clients, got the same port ${own.port}`;
    findings.push({ paths: ['admin.listen', 'listen'], message });
  }
  return findings;
}

/** Others than this machine can connect there, nothing keeps them out, and nobody said that they may. */
export function isOpenToEveryone(listen: string, { token, public: isPublic }: Config['admin']): boolean {
  const host = parseAddress(listen)?.host;
  return host !== undefined && !isLoopback(host) && token === null && !isPublic;
}

function duplicates(list: string, items: readonly { name: string }[]): Finding[] {
  return items.flatMap(({ name }, index) => {
    const first = items.findIndex((other) => other.name === name);
    if (first === index) return [];
    const message = `expected a name of its own, got ${JSON.stringify(name)}, the name of ${list}[${first}]`;
    return [{ paths: [`${list}[${index}].name`, `${list}[${first}].name`] as const, message }];
  });
}

/** `pitot_upstream_info` carries these beside the conditions; names that begin with __ belong to Prometheus. */
function reservedLabels(conditions: Readonly<Record<string, string>>, path: string): Finding[] {
  return Object.keys(conditions)
    .filter((key) => key === 'upstream' || key === 'engine' || key.startsWith('__'))
    .map((key) => ({ paths: [`${path}.${key}`], message: `expected a label of its own, got ${key}, which is taken` }));
}

function workloadFaults({ match, slo }: Config['workloads'][number], path: string): Finding[] {
  const findings: Finding[] = [];
  if (slo.tpot !== null && slo.speed !== null) {
    const message = 'expected tpot or speed, got both: they say the same thing twice';
    findings.push({ paths: [`${path}.slo.speed`, `${path}.slo.tpot`], message });
  }
  const seen = new Map<string, string>();
  for (const key of Object.keys(match.header)) {
    const first = seen.get(key.toLowerCase());
    if (first !== undefined) {
      const message = `expected every header once, got ${key} and ${first}`;
      findings.push({ paths: [`${path}.match.header`], message });
    }
    seen.set(key.toLowerCase(), key);
  }
  return findings;
}

/** Headers that hold a key or a session: whatever is taken from them must never be shown as it is. */
export const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
]);

function keysAsNames({ identity }: Config): Finding[] {
  return identity.user.flatMap((source, index) => {
    if (!('header' in source) || !SECRET_HEADERS.has(source.header.toLowerCase())) return [];
    const message = `expected a header that holds no secret, got ${source.header}; { api_key: hash } shows keys as hashes`;
    return [{ paths: [`identity.user[${index}].header`] as const, message }];
  });
}

function sizes({ limits }: Config): Finding[] {
  if (limits.body_buffer_total >= limits.body_buffer) return [];
  const message = 'expected at least limits.body_buffer, got less: no body of that length could ever be held';
  return [{ paths: ['limits.body_buffer_total', 'limits.body_buffer'], message }];
}

function sharedFiles({ state, usage_log: usageLog }: Config): Finding[] {
  if (state.path === null || state.path !== usageLog.path) return [];
  return [{ paths: ['state.path', 'usage_log.path'], message: 'expected a file of its own, got the one of usage_log' }];
}
