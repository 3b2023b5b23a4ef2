import { readFileSync } from 'node:fs';

export interface BuildInfo {
  version: string;
  /** The git commit the build was made from, `-dirty` behind it where files differed; `unknown` when it was not made in a checkout. */
  commit: string;
}

/** What this program is. `package.json` and `commit` lie one folder up, in the sources as in the package. */
export function buildInfo(): BuildInfo {
  return { version: packageVersion(), commit: process.env['PITOT_COMMIT'] ?? builtCommit() };
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const parsed: unknown = JSON.parse(text);
  const version = typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : null;
  return typeof version === 'string' ? version : 'unknown';
}

function builtCommit(): string {
  try {
    return readFileSync(new URL('./commit', import.meta.url), 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
