import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ConfigCommand, checkConfig } from '../../../src/commands/check-config.ts';
import { printConfigFile } from '../../../src/commands/print-config.ts';

/**
 * Every file of test/fixtures/config with what Pitot says of it beside it: the effective configuration,
 * the warnings, the faults. After an intended change, `vitest -u` writes them anew; read the diff.
 */
const FIXTURES = join(import.meta.dirname, '../../fixtures/config');
const ENV = { TEST_HOST: '10.1.2.3', TEST_TOKEN: 'canary-token', TEST_EMPTY: '', TEST_GPUS: '2' };

const yamlFiles = (folder: string) =>
  readdirSync(join(FIXTURES, folder)).filter((name) => name.endsWith('.yaml') && !name.endsWith('.expected.yaml'));
const sibling = (folder: string, name: string, ending: string) =>
  join(FIXTURES, folder, name.replace(/\.yaml$/, ending));

function run(command: (given: ConfigCommand) => number, file: string) {
  const written = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[name] += text.replaceAll(`${FIXTURES}/`, '');
    },
  });
  const code = command({ file, env: ENV, stdout: stream('stdout'), stderr: stream('stderr') });
  return { code, ...written };
}

describe('a sound configuration', () => {
  it.each(yamlFiles('valid'))('%s is printed as it will be in effect', async (name) => {
    const { code, stdout, stderr } = run(printConfigFile, join(FIXTURES, 'valid', name));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(stdout).toMatchFileSnapshot(sibling('valid', name, '.expected.yaml'));
  });

  it.each(yamlFiles('valid'))('%s passes check-config', async (name) => {
    const { code, stdout, stderr } = run(checkConfig, join(FIXTURES, 'valid', name));
    expect({ code, stdout }).toEqual({ code: 0, stdout: `valid/${name}: the configuration is sound\n` });
    if (stderr !== '') await expect(stderr).toMatchFileSnapshot(sibling('valid', name, '.warnings.txt'));
    else expect(readdirSync(join(FIXTURES, 'valid'))).not.toContain(name.replace(/\.yaml$/, '.warnings.txt'));
  });
});

describe('a faulty configuration', () => {
  it.each(yamlFiles('invalid'))('%s gets every fault at once, each on a line', async (name) => {
    const { code, stdout, stderr } = run(checkConfig, join(FIXTURES, 'invalid', name));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    await expect(stderr).toMatchFileSnapshot(sibling('invalid', name, '.expected.txt'));
  });

  it.each(yamlFiles('invalid'))('%s gives no secret away', (name) => {
    expect(run(checkConfig, join(FIXTURES, 'invalid', name)).stderr).not.toContain('canary');
  });

  it.each(yamlFiles('invalid'))('%s is not printed either', (name) => {
    const checked = run(checkConfig, join(FIXTURES, 'invalid', name));
    expect(run(printConfigFile, join(FIXTURES, 'invalid', name))).toEqual(checked);
  });
});
