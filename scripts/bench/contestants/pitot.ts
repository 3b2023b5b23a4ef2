import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, poll } from '../children.ts';
import type { Target } from '../load-stream.ts';
import type { Site } from '../site.ts';
import type { Contestant } from './contestant.ts';

const READY_LIMIT_MS = 20_000;

export const pitot = pitotWith('pitot', 'full');
/** The same relay without metering: what the measuring itself costs. */
export const pitotOff = pitotWith('pitot-off', 'off');

function pitotWith(name: string, metering: 'full' | 'off'): Contestant {
  return {
    name,
    missing: () => null,
    start: async (site) => {
      const child = site.children.start(name, [
        process.execPath,
        site.pitot,
        ...serveArguments(site, { name, metering }),
      ]);
      return { name, target: (await listening(child)).data, child };
    },
  };
}

/** The arguments after `main.js`. `more` is added to the configuration. */
export function serveArguments(
  site: Site,
  options: { name: string; metering: 'full' | 'off'; more?: object },
): string[] {
  const url = `http://127.0.0.1:${site.upstreamPort}`;
  const upstreams = [{ name: 'bench', url, metering: options.metering }];
  const file = join(site.children.directory, `${options.name}.yaml`);
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ upstreams, ...options.more }));
  return ['serve', '--config', file, '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0'];
}

/** The real ports, as it says them itself. */
export function listening(child: Child): Promise<{ data: Target; admin: Target }> {
  return poll(
    child,
    (log) => {
      const line = log.split('\n').find((text) => text.startsWith('{') && text.includes('"msg":"listening"'));
      if (line === undefined) return null;
      const { listen, admin } = JSON.parse(line) as { listen: string; admin: string };
      return { data: targetOf(listen), admin: targetOf(admin) };
    },
    READY_LIMIT_MS,
  );
}

function targetOf(address: string): Target {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}
