import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DASHBOARDS } from '../../scripts/dashboards/dashboards.ts';
import { DASHBOARDS_PATH } from '../../scripts/dashboards/names.ts';
import { loadConfig } from '../../src/config/load.ts';
import { NO_FLAGS } from '../../src/config/overrides.ts';
import { environmentOf, imageEnvironment, portOf } from '../helpers/image.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Service {
  image: string;
  build?: string;
  profiles?: string[];
  command?: string[];
  ports?: string[];
  volumes?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
  networks?: { default: { aliases: string[] } };
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
}
type Name = 'configuration' | 'gateway' | 'demo' | 'prometheus' | 'alertmanager' | 'grafana';
const compose: { services: Record<Name, Service>; volumes: Record<string, null> } = parse(text('docker-compose.yml'), {
  merge: true,
});
const { gateway, demo, configuration, prometheus, alertmanager, grafana } = compose.services;
const EACH = Object.entries(compose.services);
const PULLED = EACH.filter(([, { build }]) => build === undefined);
/** Where a file of the repository stands inside, or null. */
const mounted = ({ volumes = [] }: Service, source: string) =>
  volumes.find((mount) => mount.startsWith(`./${source}:`))?.split(':')[1] ?? null;

describe('docker-compose.yml', () => {
  it.each(EACH)('%s may do no more than it needs, and is reached from this machine only', (_name, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it.each(PULLED)('%s is pinned to a version, and says when it is healthy', (_name, { image, healthcheck }) => {
    expect(image).toMatch(/^(prom|grafana)\/[a-z]+:v?\d+\.\d+\.\d+$/);
    expect(healthcheck?.test.slice(0, 2)).toEqual(['CMD', 'wget']);
  });

  it.each(EACH)('%s mounts what exists, read-only, and volumes that are declared', (_name, { volumes = [] }) => {
    for (const mount of volumes) {
      const [source = '', target, mode] = mount.split(':');
      expect(target).toMatch(/^\//);
      if (!source.startsWith('.')) expect(Object.keys(compose.volumes)).toContain(source);
      else expect({ exists: existsSync(join(ROOT, source)), mode }).toEqual({ exists: true, mode: 'ro' });
    }
  });

  it('starts the gateway without a flag, and the demo in its place with one', () => {
    expect(environmentOf(text('.env'))).toEqual({ COMPOSE_PROFILES: 'gateway' });
    expect(gateway.profiles).toEqual(['gateway']);
    expect(configuration.profiles).toEqual(['gateway']);
    expect(demo.profiles).toEqual(['demo']);
    for (const [, { depends_on = {} }] of PULLED) {
      for (const name of Object.keys(depends_on)) expect(PULLED.map(([pulled]) => pulled)).toContain(name);
    }
  });

  it('publishes the ports of the image, of gateway and demo alike', () => {
    const ports = [imageEnvironment['PITOT_LISTEN'], imageEnvironment['PITOT_ADMIN']].map(portOf);
    for (const { ports: published } of [gateway, demo]) {
      expect(published).toEqual(ports.map((port) => `127.0.0.1:${port}:${port}`));
    }
  });

  it.for(['', '--profile demo', '--profile gateway'])('docker-compose %s accepts it', (flags, test) => {
    if (!isInstalled('docker-compose', ['--version'])) return test.skip('docker-compose is not installed');
    const { PITOT_UPSTREAM: _none, ...env } = process.env;
    execFileSync('docker-compose', [...flags.split(' ').filter(Boolean), 'config', '-q'], { cwd: ROOT, env });
  });
});

describe('the gateway of docker-compose.yml', () => {
  const file = 'config/compose/pitot.yaml';
  const under = (upstream: string) =>
    loadConfig(
      { ...NO_FLAGS, config: join(ROOT, file) },
      { ...imageEnvironment, ...gateway.environment, PITOT_UPSTREAM: upstream },
    );

  it('has a sound configuration once it is told its upstream, and writes where it may', () => {
    const loaded = under('http://host.docker.internal:8000');
    if (loaded.kind === 'faulty') throw new Error(JSON.stringify(loaded.faults));
    const { upstreams, usage_log, state } = loaded.config;
    expect(upstreams).toMatchObject([{ name: 'default', url: 'http://host.docker.internal:8000' }]);
    const folder = gateway.volumes?.find((mount) => mount.startsWith('pitot:'))?.split(':')[1] ?? 'none';
    for (const path of [usage_log.path, state.path]) expect(path?.startsWith(`${folder}/`)).toBe(true);
    expect(text('Dockerfile')).toContain(`install -d -o node -g node ${folder}\n`);
  });

  it('is refused without one, before anything starts that would be started again and again', () => {
    expect(under('').kind).toBe('faulty');
    expect(gateway.environment).toEqual(configuration.environment);
    expect(gateway.environment?.['PITOT_CONFIG']).toBe(mounted(gateway, file));
    expect(configuration.command).toEqual(['check-config', mounted(configuration, file)]);
    expect(gateway.depends_on).toEqual({ configuration: { condition: 'service_completed_successfully' } });
  });
});

describe('the Prometheus of docker-compose.yml', () => {
  const folder = '/etc/prometheus';
  const config: {
    rule_files: string[];
    scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
    alerting: { alertmanagers: { static_configs: { targets: string[] }[] }[] };
  } = parse(text('config/prometheus/prometheus.yml'));

  it('reads the shipped configuration and rules', () => {
    expect(prometheus.command).toContain(`--config.file=${mounted(prometheus, 'config/prometheus/prometheus.yml')}`);
    expect(config.rule_files).toEqual(['rules/*.yml']);
    expect(mounted(prometheus, 'config/prometheus/rules')).toBe(`${folder}/rules`);
  });

  it('scrapes the gateway, or the demo under its name, on the admin port', () => {
    const target = `gateway:${portOf(imageEnvironment['PITOT_ADMIN'])}`;
    expect(config.scrape_configs).toEqual([{ job_name: 'pitot', static_configs: [{ targets: [target] }] }]);
    expect(demo.networks?.default.aliases).toEqual(['gateway']);
  });

  it('sends alerts to the Alertmanager beside it, which reads the shipped configuration', () => {
    const [port] = alertmanager.ports ?? [];
    expect(config.alerting.alertmanagers).toEqual([
      { static_configs: [{ targets: [`alertmanager:${portOf(port)}`] }] },
    ]);
    const shipped = mounted(alertmanager, 'config/alertmanager/alertmanager.yml');
    expect(alertmanager.command).toContain(`--config.file=${shipped}`);
  });

  it('writes only into volumes', () => {
    expect(prometheus.command).toContain(`--storage.tsdb.path=${volumeOf(prometheus, 'prometheus')}`);
    expect(alertmanager.command).toContain(`--storage.path=${volumeOf(alertmanager, 'alertmanager')}`);
  });
});

describe('the Grafana of docker-compose.yml', () => {
  it('finds data source and dashboards where they are mounted', () => {
    expect(mounted(grafana, 'config/grafana/provisioning')).toBe('/etc/grafana/provisioning');
    expect(mounted(grafana, 'config/grafana/dashboards')).toBe(DASHBOARDS_PATH);
    const { datasources } = parse(text('config/grafana/provisioning/datasources/prometheus.yml'));
    expect(datasources[0].url).toBe(`http://prometheus:${portOf(prometheus.ports?.[0])}`);
  });

  it('opens with the first dashboard', () => {
    const home = grafana.environment?.['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH'];
    expect(home).toBe(`${DASHBOARDS_PATH}/${DASHBOARDS[0]?.uid}.json`);
  });

  it('stands where the links in alerts lead', () => {
    const links = text('config/prometheus/rules/upstreams.yml').match(/http:\/\/localhost:\d+/g) ?? [];
    expect([...new Set(links)]).toEqual([`http://localhost:${portOf(grafana.ports?.[0])}`]);
  });

  it('shows nothing to who has no account', () => {
    expect(grafana.environment).toMatchObject({
      GF_AUTH_ANONYMOUS_ENABLED: 'false',
      GF_USERS_ALLOW_SIGN_UP: 'false',
    });
  });

  it('has no default password: it is given, or drawn once and kept, and "admin" is refused', async () => {
    await using folder = await tempDir();
    const script = join(ROOT, 'config/compose/grafana.sh');
    expect(statSync(script).mode & 0o111).toBe(0o111);
    const start = (password: string) =>
      spawnSync(
        script,
        ['sh', '-c', 'echo "given=$GF_SECURITY_ADMIN_PASSWORD file=$GF_SECURITY_ADMIN_PASSWORD__FILE"'],
        {
          env: { PATH: process.env['PATH'], GF_PATHS_DATA: folder.path, GF_SECURITY_ADMIN_PASSWORD: password },
          encoding: 'utf8',
        },
      );
    const kept = join(folder.path, 'pitot-admin-password');
    expect(start('from the environment').stdout).toBe('given=from the environment file=\n');
    expect(existsSync(kept)).toBe(false);
    expect(start('').stdout).toMatch(new RegExp(`given= file=${kept}\n$`));
    const drawn = readFileSync(kept, 'utf8');
    expect(drawn).toMatch(/^[\w+/]{32}$/);
    expect(statSync(kept).mode & 0o077).toBe(0);
    start('');
    expect(readFileSync(kept, 'utf8')).toBe(drawn);
    expect(start('admin')).toMatchObject({ status: 1, stdout: '' });
  });
});

function volumeOf({ volumes = [] }: Service, name: string): string | undefined {
  return volumes.find((mount) => mount.startsWith(`${name}:`))?.split(':')[1];
}

function isInstalled(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args).status === 0;
}
