import { accessSync, constants } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accepting } from './accepting.ts';
import { Child } from './child.ts';
import { freePort } from './free-port.ts';

/** One Pitot behind the balancer, as HOST:PORT. */
export interface Member {
  listen: string;
  admin: string;
}

const HAPROXY = '/usr/sbin/haproxy';
const NGINX = '/usr/sbin/nginx';

const isThere = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

export const hasHaproxy = isThere(HAPROXY);
export const hasNginx = isThere(NGINX);

/** A real load balancer, Debian's, in front of several Pitots. */
export class LoadBalancer extends Child {
  readonly url: string;

  private constructor(command: readonly [string, ...string[]], port: number) {
    const [program, ...args] = command;
    super(program, args);
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Asks every member's /readyz five times a second, and tries nothing twice: whatever fails, fails before its client. */
  static async haproxy(members: readonly Member[], folder: string): Promise<LoadBalancer> {
    const port = await freePort();
    const file = join(folder, 'haproxy.cfg');
    const servers = members.map(
      ({ listen, admin }, index) => `  server pitot${index} ${listen} check port ${admin.split(':')[1]}`,
    );
    const config = `
global
  maxconn 2000
defaults
  mode http
  retries 0
  timeout connect 2s
  timeout client 60s
  timeout server 60s
frontend clients
  bind 127.0.0.1:${port}
  default_backend pitots
backend pitots
  balance roundrobin
  option httpchk GET /readyz
  http-check expect status 200
  default-server inter 200ms fall 2 rise 1
${servers.join('\n')}
`;
    await writeFile(file, config);
    return await LoadBalancer.#started([HAPROXY, '-db', '-f', file], port);
  }

  /**
   * Knows no health checks: what refuses a connection is left out for a second, and the request goes to the next.
   * One process, so that a kill leaves none behind.
   */
  static async nginx(members: readonly Member[], folder: string): Promise<LoadBalancer> {
    const port = await freePort();
    const file = join(folder, 'nginx.conf');
    const temporary = join(folder, 'nginx');
    await mkdir(temporary);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${join(temporary, kind)};`,
    );
    const servers = members.map(({ listen }) => `server ${listen} max_fails=1 fail_timeout=1s;`);
    const config = `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off; master_process off; pid ${join(temporary, 'nginx.pid')}; error_log stderr error;
events { worker_connections 4096; }
http {
  access_log off; ${paths.join(' ')}
  upstream pitots { ${servers.join(' ')} keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://pitots; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;
    }
  }
}
`;
    await writeFile(file, config);
    return await LoadBalancer.#started([NGINX, '-c', file, '-e', 'stderr'], port);
  }

  static async #started(command: readonly [string, ...string[]], port: number): Promise<LoadBalancer> {
    const balancer = new LoadBalancer(command, port);
    await accepting(balancer, port);
    return balancer;
  }
}
