import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { poll } from '../children.ts';
import type { Site } from '../site.ts';
import type { Contestant, Running } from './contestant.ts';

const READY_LIMIT_MS = 5_000;

/** The yardstick: one worker that passes through what it reads, unbuffered, and logs nothing. */
export const nginx: Contestant = {
  name: 'nginx',
  missing: () =>
    nginxVersion() === null
      ? 'nginx is not installed (Debian: apt-get install nginx-light), so there is no ratio to it.'
      : null,
  start,
};

/** Null where it is not installed. */
export function nginxVersion(): string | null {
  return /nginx\/(\S+)/.exec(spawnSync('nginx', ['-v'], { encoding: 'utf8' }).stderr ?? '')?.[1] ?? null;
}

async function start(site: Site): Promise<Running> {
  const port = await freePort();
  const directory = join(site.children.directory, `nginx-${port}`);
  mkdirSync(directory);
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, configuration({ directory, port, upstreamPort: site.upstreamPort }));
  const child = site.children.start('nginx', ['nginx', '-c', file, '-e', 'stderr']);
  await poll(child, () => accepts(port), READY_LIMIT_MS);
  return { name: 'nginx', target: { host: '127.0.0.1', port }, child };
}

function configuration({ directory, port, upstreamPort }: { directory: string; port: number; upstreamPort: number }) {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(directory, kind)};`)
    .join(' ');
  return `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off; worker_processes 1; pid ${join(directory, 'nginx.pid')}; error_log stderr error;
events { worker_connections 16384; }
http {
  access_log off; ${temporary}
  keepalive_requests 1000000; keepalive_timeout 1h;
  upstream engine { server 127.0.0.1:${upstreamPort}; keepalive 1024; keepalive_requests 1000000; keepalive_timeout 1h; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    client_max_body_size 0;
    location / {
      proxy_pass http://engine; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_request_buffering off; proxy_read_timeout 1h;
    }
  }
}
`;
}

/** nginx cannot be asked for "any port"; one that was free a moment ago will do. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function accepts(port: number): Promise<true | null> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(null));
    socket.once('connect', () => socket.destroy());
  });
}
