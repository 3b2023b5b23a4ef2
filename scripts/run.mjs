// Runs the product from the repository: `node scripts/run.mjs serve --upstream …`. Builds first when a source
// is newer than dist/. The product runs in this very process, so that signals and exit codes are its own.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(root, 'dist/main.js');

if (isStale()) {
  const build = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: ['ignore', 2, 2] });
  if (build.status !== 0) process.exit(1);
}
process.argv[1] = main;
await import(pathToFileURL(main).href);

function isStale() {
  if (!existsSync(main)) return true;
  const builtAtMs = statSync(main).mtimeMs;
  const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .concat(
      ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'vite.page.config.ts'].map((name) => join(root, name)),
    );
  return sources.some((path) => statSync(path).mtimeMs > builtAtMs);
}
