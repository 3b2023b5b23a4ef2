import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Site } from '../site.ts';
import type { Contestant, Running } from './contestant.ts';
import { accepting, freePort } from './ports.ts';

/** The yardstick: one worker that passes through what it reads, unbuffered, and logs nothing. */
export const nginx: Contestant = {
  name: 'nginx',
  about,
  missing: () =>
    version() === null
      ? 'nginx is not installed (Debian: apt-get install nginx-light), so there is no ratio to it.'
      : null,
  start,
};

function version(): string | null {
  return /nginx\/(\S+)/.exec(spawnSync('nginx', ['-v'], { encoding: 'utf8' }).stderr ?? '')?.[1] ?? null;
}

function about(): string {
  return `nginx ${version()}, one worker, \`proxy_buffering off\`, \`proxy_request_buffering off\`, no access log`;
}

async function start(site: Site): Promise<Running> {
  const port = await freePort();
  const directory = join(site.children.directory, `nginx-${port}`);
  mkdirSync(directory);
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, configuration({ directory, port, upstreamPort: site.upstreamPort }));
  const child = site.children.start('nginx', ['nginx', '-c', file, '-e', 'stderr']);
  return { name: 'nginx', about: about(), target: await accepting(child, port), headers: {}, child };
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
