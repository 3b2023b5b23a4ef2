import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const manifest: { bin: { pitot: string }; scripts: { build: string } } = JSON.parse(text('package.json'));

/** Instructions of the Dockerfile in order, continued lines joined, comments left out. */
const INSTRUCTIONS = text('Dockerfile')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => ({ word: line.split(' ')[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }));
const STAGES = INSTRUCTIONS.flatMap(({ word }, index) => (word === 'FROM' ? [index] : []));
const FINAL = INSTRUCTIONS.slice(STAGES.at(-1));
const final = (word: string) => FINAL.filter((line) => line.word === word).map((line) => line.rest);
const ENV: Record<string, string> = Object.fromEntries(
  final('ENV').flatMap((line) => line.split(/\s+/).map((pair) => pair.split('=', 2))),
);
const portOf = (address: string | undefined) => address?.split(':').at(-1);

interface Service {
  image?: string;
  ports?: string[];
  volumes?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}
const compose: { services: Record<'gateway' | 'prometheus', Service>; volumes: Record<string, unknown> } = parse(
  text('docker-compose.yml'),
);
const { gateway, prometheus } = compose.services;
const scrape: {
  scrape_configs: { job_name: string; metrics_path?: string; static_configs: { targets: string[] }[] }[];
} = parse(text('config/prometheus/prometheus.yml'));

describe('the image', () => {
  it('is made of pinned parts, and every stage of the same Node', () => {
    expect(INSTRUCTIONS[0]).toMatchObject({
      word: 'ARG',
      rest: expect.stringMatching(/^NODE_IMAGE=node:\d+\.\d+\.\d+-/),
    });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the Dockerfile
    for (const index of STAGES) expect(INSTRUCTIONS[index]?.rest).toContain('${NODE_IMAGE}');
  });

  it('starts what package.json calls pitot, without a shell between it and its signals', () => {
    expect(final('ENTRYPOINT').map((line) => JSON.parse(line))).toEqual([['node', manifest.bin.pitot]]);
    expect(final('CMD').map((line) => JSON.parse(line))).toEqual([['serve']]);
  });

  it('exposes the ports it listens on', () => {
    expect(final('EXPOSE')).toEqual([`${portOf(ENV['PITOT_LISTEN'])} ${portOf(ENV['PITOT_ADMIN'])}`]);
    expect(final('HEALTHCHECK')[0]).toContain('process.env.PITOT_ADMIN');
  });

  it('does not run as root', () => {
    expect(final('USER')).toEqual(['node']);
  });

  it('copies only what exists and what .dockerignore lets through', () => {
    const kept = text('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = INSTRUCTIONS.filter(({ word, rest }) => word === 'COPY' && !rest.startsWith('--from')).flatMap(
      ({ rest }) => rest.split(' ').slice(0, -1),
    );
    expect(new Set(copied)).toEqual(new Set(kept));
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(copied).toContain(manifest.scripts.build.split(' ')[1]);
  });
});

describe('docker-compose.yml', () => {
  it('publishes the ports of the image, to this machine only', () => {
    const ports = [ENV['PITOT_LISTEN'], ENV['PITOT_ADMIN']].map(portOf);
    expect(gateway.ports).toEqual(ports.map((port) => `127.0.0.1:${port}:${port}`));
    for (const port of prometheus.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('gives the gateway what it needs to start: an upstream, and a word on who may read the admin port', () => {
    expect(Object.keys(gateway.environment ?? {}).sort()).toEqual(['PITOT_ADMIN_PUBLIC', 'PITOT_UPSTREAM']);
  });

  it('pins what it pulls, and waits for health', () => {
    expect(prometheus.image).toMatch(/^prom\/prometheus:v\d+\.\d+\.\d+$/);
    expect(prometheus.healthcheck?.test[0]).toBe('CMD');
    expect(prometheus.depends_on).toEqual({ gateway: { condition: 'service_healthy' } });
  });

  it('mounts files that exist, and volumes that it declares', () => {
    for (const mount of [...(gateway.volumes ?? []), ...(prometheus.volumes ?? [])]) {
      const source = mount.split(':')[0] ?? '';
      if (source.startsWith('.')) expect(existsSync(join(ROOT, source))).toBe(true);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
  });

  it('is accepted by docker-compose', (test) => {
    if (!isInstalled('docker-compose', ['--version'])) return test.skip('docker-compose is not installed');
    const env = { ...process.env, PITOT_UPSTREAM: 'http://127.0.0.1:8000' };
    execFileSync('docker-compose', ['config', '-q'], { cwd: ROOT, env, stdio: 'pipe' });
  });
});

describe('the Prometheus configuration', () => {
  it('scrapes the gateway of docker-compose.yml on its admin port, at the default path', () => {
    expect(scrape.scrape_configs).toEqual([
      { job_name: 'pitot', static_configs: [{ targets: [`gateway:${portOf(ENV['PITOT_ADMIN'])}`] }] },
    ]);
    expect(Object.keys(compose.services)).toContain('gateway');
  });

  it('is accepted by promtool', (test) => {
    if (!isInstalled('promtool', ['--version'])) return test.skip('promtool is not installed');
    execFileSync('promtool', ['check', 'config', 'config/prometheus/prometheus.yml'], { cwd: ROOT, stdio: 'pipe' });
  });
});

function isInstalled(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
