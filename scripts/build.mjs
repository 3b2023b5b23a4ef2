// Compiles src/ to dist/. The new dist/ takes the place of the old one only when it is whole, so that
// a faulty source never leaves a half-built product, and no file outlives its source.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const fresh = join(root, `dist.${process.pid}`);
const old = join(root, `dist.${process.pid}.old`);
const tsc = join(root, 'node_modules/typescript/bin/tsc');

if (!existsSync(tsc)) {
  console.error('TypeScript is not installed: run `npm ci` first.');
  process.exit(1);
}

try {
  // Standard output belongs to whoever runs next: a gateway's log lines, say.
  const build = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', fresh], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (build.status !== 0) process.exit(1);
  copyAssets();
  writeFileSync(join(fresh, 'commit'), commit());
  chmodSync(join(fresh, 'main.js'), 0o755);
  if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), old);
  renameSync(fresh, join(root, 'dist'));
} finally {
  rmSync(fresh, { recursive: true, force: true });
  rmSync(old, { recursive: true, force: true });
}

/** Files beside the sources that the product reads at run time: all but TypeScript and the rooms' READMEs. */
function copyAssets() {
  const source = join(root, 'src');
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !/\.(ts|md)$/.test(entry.name)) cpSync(path, join(fresh, relative(source, path)));
  }
}

/** What `pitot_build_info` says the build was made from. */
function commit() {
  const git = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return git.status === 0 ? git.stdout : 'unknown\n';
}
