import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fileSchema } from '../src/config/json-schema.ts';

/** Writes config/gateway.schema.json from the schema in code; a contract test compares the two. */
export function generateSchema(): void {
  const target = fileURLToPath(new URL('../config/gateway.schema.json', import.meta.url));
  writeFileSync(target, `${JSON.stringify(fileSchema(), null, 2)}\n`);
  const biome = fileURLToPath(new URL('../node_modules/@biomejs/biome/bin/biome', import.meta.url));
  const { status } = spawnSync(process.execPath, [biome, 'format', '--write', target], { stdio: 'inherit' });
  if (status !== 0) throw new Error('biome could not format config/gateway.schema.json');
}

if (import.meta.filename === process.argv[1]) generateSchema();
