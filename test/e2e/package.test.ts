import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Child } from '../helpers/child.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const manifest: { version: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** What npm calls it when nobody answers for the registry. */
const NO_REGISTRY = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED|EHOSTUNREACH|ENETUNREACH)\b/;

function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The tarball of what is built now, in this folder. `dist/` is not built again: other tests run what is in it. */
function pack(folder: string): string {
  const [packed]: { filename: string }[] = JSON.parse(
    npm(ROOT, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder),
  );
  return join(folder, packed?.filename ?? '');
}

/** False where its dependencies cannot be had: then there is nothing to say of the package. */
function installs(tarball: string, prefix: string): boolean {
  try {
    npm(prefix, 'install', '--global', '--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund', tarball);
    return true;
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    if (NO_REGISTRY.test(said)) return false;
    throw error;
  }
}

describe('the package', () => {
  it('holds the product, and what an operator without the repository needs: nothing else', () => {
    const [packed]: { files: { path: string }[] }[] = JSON.parse(
      npm(ROOT, 'pack', '--dry-run', '--json', '--ignore-scripts'),
    );
    const paths = packed?.files.map(({ path }) => path) ?? [];
    const other = paths.filter((path) => !/^dist\/([\w/-]+\.js|page\/assets\/[\w-]+\.(css|svg))$/.test(path));
    expect(other.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'config/gateway.example.yaml',
      'config/gateway.schema.json',
      'config/grafana/dashboards/pitot-cost.json',
      'config/grafana/dashboards/pitot-operator.json',
      'config/grafana/dashboards/pitot-slo.json',
      'config/grafana/dashboards/pitot-users.json',
      'config/prometheus/rules/gateway.yml',
      'config/prometheus/rules/metering.yml',
      'config/prometheus/rules/slo.yml',
      'config/prometheus/rules/throughput.yml',
      'config/prometheus/rules/upstreams.yml',
      'dist/commit',
      'dist/page/index.html',
      'dist/page/licences.txt',
      'docs/CONFIG.md',
      'docs/DEPLOYING.md',
      'docs/ERRORS.md',
      'docs/METRICS.md',
      'docs/RUNBOOK.md',
      'package.json',
    ]);
    expect(paths).toContain('dist/main.js');
  });

  it('installs globally from its tarball, serves with its page, and knows its version and commit', async (context) => {
    await using folder = await tempDir();
    if (!installs(pack(folder.path), folder.path)) {
      process.stderr.write('SKIPPED: no registry to be reached; the package is not installed\n');
      context.skip();
    }
    const program = folder.file('bin/pitot');
    expect(execFileSync(program, ['--version'], { encoding: 'utf8' }).trim()).toBe(`pitot ${manifest.version}`);

    const ports = ['--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0'];
    await using pitot = new Child(program, ['serve', '--upstream', 'http://127.0.0.1:9', ...ports]);
    const ready = JSON.parse(await pitot.line((line) => line.includes('"msg":"listening"')));
    const ask = async (path: string) => await (await fetch(`http://${ready.admin}${path}`)).text();
    expect(await ask('/')).toContain('<title>Pitot');
    const commit = readFileSync(join(ROOT, 'dist/commit'), 'utf8').trim();
    expect(await ask('/metrics')).toContain(`pitot_build_info{version="${manifest.version}",commit="${commit}"`);
    pitot.process.kill('SIGTERM');
    expect(await pitot.ended()).toBe(0);
  });
});
