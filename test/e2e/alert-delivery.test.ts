import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { Alertmanager, hasAlertmanager } from '../helpers/alertmanager.ts';
import { freePort } from '../helpers/free-port.ts';
import { writeHurriedRules } from '../helpers/hurried-rules.ts';
import { PitotProcess } from '../helpers/pitot-process.ts';
import { hasPrometheus, Prometheus } from '../helpers/prometheus.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { until } from '../helpers/until.ts';
import { WebhookReceiver } from '../helpers/webhook-receiver.ts';

const isRunnable = hasPrometheus && hasAlertmanager;
if (!isRunnable)
  process.stderr.write(
    'SKIPPED: no Prometheus or no Alertmanager here (apt-get install prometheus prometheus-alertmanager); no alert is seen to arrive\n',
  );

const ASK_EVERY_MS = 200;
const shipped = (path: string) => readFileSync(new URL(`../../config/${path}`, import.meta.url), 'utf8');

interface PrometheusConfig {
  global: { scrape_interval: string; scrape_timeout: string; evaluation_interval: string; external_labels?: object };
  alerting: { alertmanagers: object[] };
  scrape_configs: { static_configs: object[] }[];
}

interface AlertmanagerConfig {
  route: { group_wait: string; group_interval: string };
  receivers: { name: string; webhook_configs?: object[] }[];
}

/** The shipped configuration, with the addresses of this test, and quicker. */
function prometheusConfig(gateway: string, alertmanager: string): string {
  const config = parse(shipped('prometheus/prometheus.yml')) as PrometheusConfig;
  Object.assign(config.global, { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' });
  config.global.external_labels = { pitot_runbook_url: 'https://docs.example/RUNBOOK.md' };
  config.alerting.alertmanagers = [{ static_configs: [{ targets: [alertmanager] }] }];
  for (const job of config.scrape_configs) job.static_configs = [{ targets: [gateway] }];
  return stringify(config);
}

/** The shipped configuration, every receiver of which tells the webhook, and quicker. */
function alertmanagerConfig(webhook: string): string {
  const config = parse(shipped('alertmanager/alertmanager.yml')) as AlertmanagerConfig;
  Object.assign(config.route, { group_wait: '1s', group_interval: '1s' });
  for (const receiver of config.receivers) receiver.webhook_configs = [{ url: webhook }];
  return stringify(config);
}

/** A client that asks again and again, whatever it gets. */
class PatientClient implements AsyncDisposable {
  readonly #timer: NodeJS.Timeout;

  constructor(url: string) {
    const body = JSON.stringify({ model: 'm', stream: true, messages: [] });
    const ask = () => fetch(`${url}/v1/chat/completions`, { method: 'POST', body }).then((answer) => answer.text());
    this.#timer = setInterval(() => void ask().catch(() => {}), ASK_EVERY_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
  }
}

/** An engine that comes up late. */
class LateEngine implements AsyncDisposable {
  readonly #server: Server = createServer((request, response) => {
    request.resume();
    response.end('{}');
  });

  async start(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe.skipIf(!isRunnable)('alerts on their way: gateway, Prometheus, Alertmanager, webhook', () => {
  it('an upstream is down and comes back; a faulty configuration is refused and mended', {
    timeout: 150_000,
  }, async () => {
    await using folder = await tempDir();
    await using webhook = new WebhookReceiver();
    await using engine = new LateEngine();
    const port = await freePort();
    const config = folder.file('pitot.yaml');
    const yaml = `upstreams: [ { name: late, url: "http://127.0.0.1:${port}" } ]\nworkloads: [ { name: chat, slo: { ttft: 1s } } ]\n`;
    await writeFile(config, yaml);
    await using pitot = await PitotProcess.serve(['--config', config]);
    await using alertmanager = await Alertmanager.configured(alertmanagerConfig(await webhook.start()), folder.path);
    await writeHurriedRules(folder.path);
    await using prometheus = await Prometheus.configured(
      prometheusConfig(pitot.admin, alertmanager.address),
      folder.path,
    );
    await using _client = new PatientClient(pitot.url);

    await until(() => webhook.told('PitotUpstreamDown').length > 0);
    await until(() => webhook.told('PitotUpstreamDownHitsWorkload').length > 0);
    const [down] = webhook.told('PitotUpstreamDown');
    expect(down).toMatchObject({
      receiver: 'on-call',
      status: 'firing',
      labels: { severity: 'critical', job: 'pitot', upstream: 'late' },
      annotations: {
        summary: 'Upstream late does not answer.',
        description: expect.stringMatching(/^\d+ requests .* none since the gateways started\.$/),
        runbook_url: 'https://docs.example/RUNBOOK.md#pitotupstreamdown',
        dashboard_url: 'http://localhost:3000/d/pitot-operator?var-job=pitot&var-upstream=late',
      },
    });
    expect(Object.keys(down?.labels ?? {})).not.toContain('pitot_runbook_url');
    expect(webhook.told('PitotUpstreamDownHitsWorkload')[0]).toMatchObject({
      receiver: 'nobody',
      labels: { upstream: 'late', workload: 'chat' },
    });

    await writeFile(config, 'upstreams: nothing\n');
    pitot.process.kill('SIGHUP');
    await until(() => webhook.told('PitotConfigReloadFailed').length > 0);
    expect(webhook.told('PitotConfigReloadFailed')[0]).toMatchObject({ receiver: 'tickets', status: 'firing' });

    await engine.start(port);
    await writeFile(config, yaml);
    pitot.process.kill('SIGHUP');
    const isResolved = (name: string) => webhook.told(name).some(({ status }) => status === 'resolved');
    await until(() => isResolved('PitotUpstreamDown') && isResolved('PitotConfigReloadFailed'));
    const silent = await prometheus.query('ALERTS{alertname=~"PitotTarget.+|PitotRestarting|PitotStalled"}');
    expect(silent).toEqual([]);
  });
});
