import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Child, type Children, poll } from '../children.ts';
import type { Target } from '../load-user.ts';
import type { Site } from '../site.ts';
import type { Contestant } from './contestant.ts';

const READY_LIMIT_MS = 20_000;

type Metering = 'full' | 'off';

/** By the Node that runs the bench. */
export const pitot = pitotOf({ name: 'pitot', metering: 'full' });
/** The same relay without metering: what the measuring itself costs. */
export const pitotOff = pitotOf({ name: 'pitot-off', metering: 'off' });

/** One for each other Node that was given; their names begin with `pitot-node` and the major version. */
export function pitotsOnOtherNodes({ nodes }: Site): Contestant[] {
  return nodes.map((node) => {
    const major = existsSync(node) ? versionOf(node).split('.')[0] : '';
    return pitotOf({ name: `pitot-node${major}`, metering: 'full', node });
  });
}

/** Another build beside, for a change that is being made. */
export function otherBuild({ against }: Site): Contestant[] {
  return against === null ? [] : [pitotOf({ name: 'pitot-against', metering: 'full', build: against })];
}

interface Kind {
  readonly name: string;
  readonly metering: Metering;
  readonly node?: string;
  /** A `main.js` other than the one that is measured. */
  readonly build?: string;
}

function pitotOf({ name, metering, node = process.execPath, build }: Kind): Contestant {
  const about = (site: Site) =>
    `Pitot at ${buildOf(build ?? site.pitot)}, one worker, ${metering === 'full' ? 'metering in full' : 'metering off'}, Node ${versionOf(node)}`;
  return {
    name,
    about,
    missing: () => (existsSync(node) ? null : `There is no Node at ${node}.`),
    start: async (site) => {
      const args = serveArguments(site, { name, metering });
      const child = site.children.start(name, [node, build ?? site.pitot, ...args]);
      const { data } = await listening(child);
      return { name, about: about(site), target: data, headers: {}, child };
    },
  };
}

function versionOf(node: string): string {
  return node === process.execPath
    ? process.versions.node
    : (spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? '').trim().replace(/^v/, '');
}

/** The commit that the build was made from, shortened; it may hold changes on top. */
export function buildOf(main: string): string {
  const file = join(dirname(main), 'commit');
  return existsSync(file) ? readFileSync(file, 'utf8').slice(0, 7) : 'an unknown commit';
}

/** The arguments after `main.js` of a Pitot before the bench's upstream. `more` is added to the configuration. */
export function serveArguments(
  site: Site,
  options: { name: string; metering: 'full' | 'off'; more?: object },
): string[] {
  const url = `http://127.0.0.1:${site.upstreamPort}`;
  const upstreams = [{ name: 'bench', url, metering: options.metering }];
  return argumentsFor(site.children, options.name, { upstreams, ...options.more });
}

/** The arguments after `main.js` for a configuration, which is put into a file of that name. */
export function argumentsFor({ directory }: Pick<Children, 'directory'>, name: string, configuration: object) {
  const file = join(directory, `${name}.yaml`);
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(configuration));
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
