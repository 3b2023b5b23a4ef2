import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Site } from '../site.ts';
import type { Contestant, Running } from './contestant.ts';
import { accepting, freePort } from './ports.ts';

/** One thread that passes on at once whatever it reads, and logs nothing. */
export const haproxy: Contestant = {
  name: 'haproxy',
  about,
  missing: () => (version() === null ? 'haproxy is not installed (Debian: apt-get install haproxy).' : null),
  start,
};

function version(): string | null {
  return /version (\d+\.\d+\.\d+)/.exec(spawnSync('haproxy', ['-v'], { encoding: 'utf8' }).stdout ?? '')?.[1] ?? null;
}

function about(): string {
  return `HAProxy ${version()}, one thread, \`option http-no-delay\`, \`http-reuse always\`, no log`;
}

async function start(site: Site): Promise<Running> {
  const port = await freePort();
  const file = join(site.children.directory, `haproxy-${port}.cfg`);
  writeFileSync(file, configuration(port, site.upstreamPort));
  const child = site.children.start('haproxy', ['haproxy', '-db', '-f', file]);
  return { name: 'haproxy', about: about(), target: await accepting(child, port), headers: {}, child };
}

/** `maxconn`: two descriptors a connection have to stay below the usual limit of 20,000. */
function configuration(port: number, upstreamPort: number): string {
  return `
global
  maxconn 9000
  nbthread 1
defaults
  mode http
  option http-no-delay
  http-reuse always
  timeout connect 5s
  timeout client 1h
  timeout server 1h
frontend clients
  bind 127.0.0.1:${port} backlog 4096
  default_backend engines
backend engines
  server engine 127.0.0.1:${upstreamPort}
`;
}
