import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { type RuleFileContent, SHIPPED_RULES } from './shipped-rules.ts';

/**
 * The shipped rules for a test that cannot wait: how long an alert must hold (`for`) is in seconds what is shipped in
 * minutes, and every group runs as often as Prometheus does. Expressions, thresholds, labels and texts are as shipped.
 */
export async function writeHurriedRules(folder: string): Promise<void> {
  await mkdir(join(folder, 'rules'));
  for (const [name, text] of SHIPPED_RULES) await writeFile(join(folder, 'rules', name), hurried(text));
}

function hurried(text: string): string {
  const { groups } = parse(text) as RuleFileContent;
  const faster = groups.map(({ name, rules }) => ({
    name,
    rules: rules.map((rule) => ('for' in rule ? { ...rule, for: inSeconds(rule.for) } : rule)),
  }));
  return stringify({ groups: faster });
}

/** `2m` becomes `2s`, `1h` `60s`. */
function inSeconds(duration: string): string {
  const minutes = Number(duration.slice(0, -1)) * (duration.endsWith('h') ? 60 : 1);
  return `${minutes}s`;
}
