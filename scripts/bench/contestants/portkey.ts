import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ORDER_HEADER } from '../event.ts';
import type { Site } from '../site.ts';
import type { Contestant, Running } from './contestant.ts';
import { accepting, freePort } from './ports.ts';

const PACKAGE = 'node_modules/@portkey-ai/gateway';
const FRAMEWORK = 'node_modules/@hono/node-server';
/** With a newer one Portkey 1.15.2 answers every stream by 500: it changes headers that are immutable there. */
const FRAMEWORK_VERSION = '1.14.1';

/** A gateway of the same kind: it reads what it passes on, and routes by headers. Installed apart, by whoever wants it beside. */
export const portkey: Contestant = {
  name: 'portkey',
  about,
  missing: ({ portkey: folder }) =>
    folder === null || !existsSync(join(folder, PACKAGE))
      ? `Portkey is not beside: npm install @portkey-ai/gateway in a folder of its own, with an override of @hono/node-server to ${FRAMEWORK_VERSION}, and --portkey FOLDER.`
      : null,
  start,
};

function about(site: Site): string {
  const versions = [PACKAGE, FRAMEWORK].map((path) => versionOf(join(site.portkey ?? '', path)));
  return `Portkey AI Gateway ${versions[0]} from npm, over @hono/node-server ${versions[1]}, all defaults, without its console, Node ${process.versions.node}`;
}

function versionOf(folder: string): string {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return '(of its own)';
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return manifest.version;
}

async function start(site: Site): Promise<Running> {
  const port = await freePort();
  const server = join(site.portkey ?? '', PACKAGE, 'build/start-server.js');
  const child = site.children.start('portkey', [process.execPath, server, `--port=${port}`, '--headless']);
  const headers = {
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${site.upstreamPort}/v1`,
    'x-portkey-forward-headers': ORDER_HEADER,
  };
  return { name: 'portkey', about: about(site), target: await accepting(child, port), headers, child };
}
