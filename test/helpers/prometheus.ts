import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Child } from './child.ts';
import { haveAll, outputOf } from './debian-program.ts';
import { freePort } from './free-port.ts';

const PROMETHEUS = '/usr/bin/prometheus';
const PROMTOOL = '/usr/bin/promtool';

/** Debian's Prometheus is on this machine; without it the suites that need it say so and are skipped. */
export const hasPrometheus = haveAll([PROMETHEUS, PROMTOOL]);

/** What promtool says of files. */
export const promtool = (...args: readonly string[]) => outputOf(PROMTOOL, args);

/** A real Prometheus. */
export class Prometheus extends Child {
  port = 0;

  /** One that scrapes one target every second, and does no more. */
  static async scraping(target: string, folder: string): Promise<Prometheus> {
    const scrape = `global: { scrape_interval: 1s }\nscrape_configs: [{ job_name: pitot, static_configs: [{ targets: ["${target}"] }] }]\n`;
    return await Prometheus.configured(scrape, folder);
  }

  /** `folder`: where its configuration and its data are; files that the configuration names stand there. */
  static async configured(yaml: string, folder: string): Promise<Prometheus> {
    const config = join(folder, 'prometheus.yml');
    await writeFile(config, yaml);
    const port = await freePort();
    const prometheus = new Prometheus(PROMETHEUS, [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]);
    prometheus.port = port;
    await prometheus.ready();
    return prometheus;
  }

  /** One value per series of an instant query. */
  async query(expression: string): Promise<{ labels: Record<string, string>; value: number }[]> {
    const parameters = new URLSearchParams({ query: expression });
    const answer = await fetch(`http://127.0.0.1:${this.port}/api/v1/query?${parameters}`);
    const { data } = (await answer.json()) as {
      data: { result: { metric: Record<string, string>; value: [number, string] }[] };
    };
    return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
  }

  /** The single value of an instant query; NaN when there is none. */
  async value(expression: string): Promise<number> {
    const [first] = await this.query(expression);
    return first?.value ?? Number.NaN;
  }

  async ready(): Promise<void> {
    for (;;) {
      const isUp = await fetch(`http://127.0.0.1:${this.port}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isUp) return;
      if (this.process.exitCode !== null) throw new Error(`prometheus ended: ${this.stderr.slice(-3).join(' ')}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** What promtool says of an exposition; empty when it is clean. */
export async function promtoolCheck(exposition: string): Promise<string> {
  const { stdout, stderr } = spawnSync(PROMTOOL, ['check', 'metrics'], { input: exposition, encoding: 'utf8' });
  return `${stdout}${stderr}`.trim();
}
