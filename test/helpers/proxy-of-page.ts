import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { accepting } from './accepting.ts';
import { Child } from './child.ts';
import { haveAll } from './debian-program.ts';
import { freePort } from './free-port.ts';

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/DEPLOYING.md', import.meta.url)), 'utf8');
const NGINX = '/usr/sbin/nginx';
const HAPROXY = '/usr/sbin/haproxy';

export const hasNginx = haveAll([NGINX]);
export const hasHaproxy = haveAll([HAPROXY]);

/** What docs/DEPLOYING.md says to write, so that what it says is what is tried. */
function settingsFor(program: 'nginx' | 'haproxy'): string {
  const found = new RegExp(`^\`\`\`${program}\\n([^]*?)^\`\`\`$`, 'm').exec(PAGE)?.[1];
  if (found === undefined) throw new Error(`docs/DEPLOYING.md has no settings for ${program}`);
  return found;
}

interface Place {
  /** Where it sends requests, as HOST:PORT. */
  target: string;
  folder: string;
}

/** A real proxy in front of something, as the page says to set it. One process each: a kill leaves none behind. */
export class ProxyOfPage extends Child {
  readonly url: string;

  private constructor(command: readonly [string, ...string[]], port: number) {
    const [program, ...args] = command;
    super(program, args);
    this.url = `http://127.0.0.1:${port}`;
  }

  /** `change`: what somebody might have written in place of the page's settings. */
  static async nginx({ target, folder }: Place, change = (page: string) => page): Promise<ProxyOfPage> {
    const port = await freePort();
    const temporary = join(folder, `nginx-${port}`);
    await mkdir(temporary);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${join(temporary, kind)};`,
    );
    const config = `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off; master_process off; pid ${join(temporary, 'nginx.pid')}; error_log stderr error;
events {}
http {
  access_log off; ${paths.join(' ')} gzip_types text/event-stream;
  upstream pitot { server ${target}; keepalive 64; }
  server { listen 127.0.0.1:${port}; ${change(settingsFor('nginx'))} }
}
`;
    const file = join(temporary, 'nginx.conf');
    await writeFile(file, config);
    return await ProxyOfPage.#started([NGINX, '-c', file, '-e', 'stderr'], port);
  }

  static async haproxy({ target, folder }: Place): Promise<ProxyOfPage> {
    const port = await freePort();
    const file = join(folder, `haproxy-${port}.cfg`);
    const listen = `listen pitot\n    bind 127.0.0.1:${port}\n    server pitot ${target}\n`;
    await writeFile(file, `${settingsFor('haproxy')}\n${listen}`);
    return await ProxyOfPage.#started([HAPROXY, '-db', '-f', file], port);
  }

  static async #started(command: readonly [string, ...string[]], port: number): Promise<ProxyOfPage> {
    const proxy = new ProxyOfPage(command, port);
    await accepting(proxy, port);
    return proxy;
  }
}
