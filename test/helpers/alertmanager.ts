import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Child } from './child.ts';
import { haveAll, outputOf } from './debian-program.ts';
import { freePort } from './free-port.ts';

const ALERTMANAGER = '/usr/bin/prometheus-alertmanager';
const AMTOOL = '/usr/bin/amtool';

/** Debian's Alertmanager is on this machine; without it the suites that need it say so and are skipped. */
export const hasAlertmanager = haveAll([ALERTMANAGER, AMTOOL]);

/** What amtool says of a configuration. */
export const amtool = (...args: readonly string[]) => outputOf(AMTOOL, args);

/** An alert as Alertmanager's API has it. */
export interface HeldAlert {
  readonly labels: Record<string, string>;
  readonly status: { readonly state: 'unprocessed' | 'active' | 'suppressed'; readonly inhibitedBy: readonly string[] };
}

/** A real Alertmanager, alone. */
export class Alertmanager extends Child {
  address = '';

  static async configured(yaml: string, folder: string): Promise<Alertmanager> {
    const config = join(folder, 'alertmanager.yml');
    await writeFile(config, yaml);
    const address = `127.0.0.1:${await freePort()}`;
    const alertmanager = new Alertmanager(ALERTMANAGER, [
      `--config.file=${config}`,
      `--storage.path=${join(folder, 'alertmanager')}`,
      `--web.listen-address=${address}`,
      '--cluster.listen-address=',
    ]);
    alertmanager.address = address;
    await alertmanager.#ready();
    return alertmanager;
  }

  /** As Prometheus sends them. */
  async fire(labelSets: readonly Record<string, string>[]): Promise<void> {
    const answer = await fetch(`http://${this.address}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(labelSets.map((labels) => ({ labels }))),
    });
    if (!answer.ok) throw new Error(`alerts were refused: ${await answer.text()}`);
  }

  async held(): Promise<HeldAlert[]> {
    const answer = await fetch(`http://${this.address}/api/v2/alerts`);
    return (await answer.json()) as HeldAlert[];
  }

  async #ready(): Promise<void> {
    for (;;) {
      const isUp = await fetch(`http://${this.address}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isUp) return;
      if (this.process.exitCode !== null) throw new Error(`alertmanager ended: ${this.stderr.slice(-3).join(' ')}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
