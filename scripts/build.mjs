// Compiles src/ to dist/, and bundles src/page, which a browser runs, to dist/page. The new dist/ takes the place of
// the old one only when it is whole, so that a faulty source never leaves a half-built product, and no file outlives
// its source.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const fresh = join(root, `dist.${process.pid}`);
const old = join(root, `dist.${process.pid}.old`);
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const vite = join(root, 'node_modules/vite/bin/vite.js');

if (!existsSync(tsc)) {
  console.error('TypeScript is not installed: run `npm ci` first.');
  process.exit(1);
}

try {
  if (isCompiled() && isBundled()) place();
  else process.exitCode = 1;
} finally {
  rmSync(fresh, { recursive: true, force: true });
  rmSync(old, { recursive: true, force: true });
}

function isCompiled() {
  return succeeds(tsc, ['-p', 'tsconfig.build.json', '--outDir', fresh]);
}

function isBundled() {
  return succeeds(vite, ['build', '--config', 'vite.page.config.ts', '--outDir', join(fresh, 'page')]);
}

/** Standard output belongs to whoever runs next: a gateway's log lines, say. */
function succeeds(program, args) {
  return spawnSync(process.execPath, [program, ...args], { cwd: root, stdio: ['ignore', 2, 2] }).status === 0;
}

function place() {
  copyAssets();
  writeFileSync(join(fresh, 'commit'), commit());
  chmodSync(join(fresh, 'main.js'), 0o755);
  if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), old);
  renameSync(fresh, join(root, 'dist'));
}

/** Files beside the sources that the product reads at run time: all but TypeScript, the rooms' READMEs and the page. */
function copyAssets() {
  const source = join(root, 'src');
  const page = join(source, 'page') + sep;
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || /\.(ts|md)$/.test(entry.name) || path.startsWith(page)) continue;
    cpSync(path, join(fresh, relative(source, path)));
  }
}

/** What `pitot_build_info` says the build was made from; `-dirty` behind it where files differ from that commit. */
function commit() {
  const describe = ['--no-optional-locks', 'describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  const git = spawnSync('git', describe, { cwd: root, encoding: 'utf8' });
  return git.status === 0 ? git.stdout : 'unknown\n';
}
