import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Alertmanager, hasAlertmanager } from '../helpers/alertmanager.ts';
import { imageEnvironment } from '../helpers/image.ts';
import { PitotProcess } from '../helpers/pitot-process.ts';
import { hasPrometheus, Prometheus } from '../helpers/prometheus.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const isRunnable = hasPrometheus && hasAlertmanager;
if (!isRunnable)
  process.stderr.write(
    'SKIPPED: no Prometheus or no Alertmanager here (apt-get install prometheus prometheus-alertmanager); the parts of docker-compose.yml are not started\n',
  );

const CONFIG = resolve(import.meta.dirname, '../../config');
const shipped = (path: string) => readFileSync(join(CONFIG, path), 'utf8');
const compose = parse(readFileSync(join(CONFIG, '../docker-compose.yml'), 'utf8'), { merge: true });
/** Any port in place of those that only one program of a machine can have. */
const PORTS = { PITOT_LISTEN: '0.0.0.0:0', PITOT_ADMIN: '0.0.0.0:0' };

describe('the demo of docker-compose.yml', () => {
  it('refuses to open its admin port to others when nobody said that it may', async () => {
    await using demo = PitotProcess.run(['demo', '--for', '1'], { ...imageEnvironment, ...PORTS });
    expect(await demo.ended()).toBe(2);
    expect(demo.stderr.join()).toContain('expected a loopback address, a token or "public: true"');
  });

  it('wants the token that it was given', async () => {
    // What a configuration file would read as something else is text here.
    const env = { ...imageEnvironment, ...PORTS, PITOT_ADMIN_TOKEN: ['a"token$', '{HOME}'].join('') };
    await using demo = PitotProcess.run(['demo'], env);
    const port = await adminPortOf(demo);
    const ask = (headers: Record<string, string>) => fetch(`http://127.0.0.1:${port}/metrics`, { headers });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ authorization: `Bearer ${env.PITOT_ADMIN_TOKEN}` })).status).toBe(200);
  });

  it.skipIf(!isRunnable)(
    'is scraped live by a Prometheus with the shipped files, beside an Alertmanager with its own',
    async () => {
      await using folder = await tempDir();
      const { command, environment } = compose.services.demo;
      await using demo = PitotProcess.run(command, { ...imageEnvironment, ...environment, ...PORTS });
      cpSync(join(CONFIG, 'prometheus/rules'), join(folder.path, 'rules'), { recursive: true });
      await using alertmanager = await Alertmanager.configured(shipped('alertmanager/alertmanager.yml'), folder.path);
      // Names of containers mean nothing here; all else is as it is shipped.
      const text = shipped('prometheus/prometheus.yml')
        .replace('gateway:9464', `127.0.0.1:${await adminPortOf(demo)}`)
        .replace('alertmanager:9093', alertmanager.address);
      await using prometheus = await Prometheus.configured(text, folder.path);
      const tokens = () => prometheus.value('sum(pitot_output_tokens_total{job="pitot"})');
      await expect.poll(tokens, { timeout: 45_000, interval: 250 }).toBeGreaterThan(0);
      expect(await prometheus.value('count(up == 1)')).toBe(1);
    },
    60_000,
  );
});

async function adminPortOf(demo: PitotProcess): Promise<string> {
  const { admin } = JSON.parse(await demo.line((line) => line.includes('"msg":"listening"')));
  return admin.split(':').at(-1);
}
