import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Child } from '../helpers/child.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it('a minute of every kind of traffic and fault breaks no rule (npm run soak for more)', async () => {
  const script = ['--import', 'tsx', `${ROOT}scripts/soak/main.ts`];
  await using soak = new Child(process.execPath, [...script, '--minutes', '1', '--pitot', `${ROOT}dist/main.js`]);
  const code = await soak.ended();
  const said = [...soak.stdout, ...soak.stderr].join('\n');
  process.stdout.write(`${said}\n`);
  expect(said).toMatch(/(\d+) of \1 rules hold/);
  expect(code).toBe(0);
});
