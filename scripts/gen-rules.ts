import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ruleFiles } from './rules/rule-files.ts';

export const RULES_FOLDER = fileURLToPath(new URL('../config/prometheus/rules/', import.meta.url));

/** Writes config/prometheus/rules; a contract test compares. */
export function generateRules(): void {
  for (const [name, text] of ruleFiles()) writeFileSync(`${RULES_FOLDER}${name}`, text);
}

if (import.meta.filename === process.argv[1]) generateRules();
