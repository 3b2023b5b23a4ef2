import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Site } from '../site.ts';
import type { Contestant, Running } from './contestant.ts';
import { accepting, freePort } from './ports.ts';

/** The library that Pitot builds on, alone. */
export const httpProxy: Contestant = { name: 'http-proxy', about, missing: () => null, start };

function about(): string {
  return `@fastify/http-proxy ${versionOf('@fastify/http-proxy')} on Fastify ${versionOf('fastify')}, all defaults, Node ${process.versions.node}`;
}

async function start(site: Site): Promise<Running> {
  const port = await freePort();
  const script = fileURLToPath(new URL('./http-proxy-server.mjs', import.meta.url));
  const command = [process.execPath, script, String(port), String(site.upstreamPort)] as const;
  const child = site.children.start('http-proxy', [...command]);
  return { name: 'http-proxy', about: about(), target: await accepting(child, port), headers: {}, child };
}

function versionOf(name: string): string {
  const { resolve } = createRequire(import.meta.url);
  // Not by `name/package.json`, which a package need not export.
  const folder = dirname(resolve(name));
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { version: string };
  return manifest.version;
}
