import fc from 'fast-check';
import * as Value from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { formatFault } from '../../../src/config/faults.ts';
import { TreeReader } from '../../../src/config/read.ts';
import { HIDDEN, printConfig } from '../../../src/config/redact.ts';
import { type Config, configSchema } from '../../../src/config/schema.ts';
import { parseYaml } from '../../../src/config/syntax.ts';
import { anyConfigFile } from '../../helpers/config-values.ts';

/** The configuration in a text, rules between keys apart. Throws with every fault. */
function read(text: string): Config {
  const { tree, faults } = parseYaml('text', text, {});
  const reader = new TreeReader({});
  const value = tree === null ? null : reader.read(configSchema, tree, '');
  const all = [...faults, ...reader.faults];
  if (all.length > 0) throw new Error(all.map(formatFault).join('; '));
  return Value.Decode(configSchema, value);
}

const withoutSecrets = (config: Config): Config => ({
  ...config,
  admin: { ...config.admin, token: null },
  identity: { ...config.identity, salt: null },
});

const anyConfig = anyConfigFile.map((value) => Value.Decode(configSchema, value));

describe('what print-config prints', () => {
  it('loads back to the same configuration', () => {
    fc.assert(
      fc.property(anyConfig.map(withoutSecrets), (config) => {
        expect(read(printConfig(config))).toEqual(config);
      }),
      { numRuns: 200 },
    );
  });

  it('is what it prints again', () => {
    fc.assert(
      fc.property(anyConfig.map(withoutSecrets), (config) => {
        expect(printConfig(read(printConfig(config)))).toBe(printConfig(config));
      }),
      { numRuns: 50 },
    );
  });

  it('holds no secret, and cannot be loaded as if its mask were one', () => {
    fc.assert(
      fc.property(anyConfig, (config) => {
        const printed = printConfig({
          ...config,
          admin: { ...config.admin, token: 'canary-token' },
          identity: { ...config.identity, salt: 'canary-salt' },
        });
        expect(printed).not.toContain('canary');
        expect(() => read(printed)).toThrow('expected printable ASCII characters without spaces');
      }),
      { numRuns: 50 },
    );
  });

  it('hides keys that a workload is told by', () => {
    const [config] = fc.sample(anyConfig, 1);
    const header = { Authorization: 'Bearer canary', 'X-API-Key': 'canary', cookie: 'canary', 'x-team': 'red' };
    const slo = { ttft: null, tpot: null, speed: null, gap: null, e2e: null, objective: 0.99 };
    const workloads = [{ name: 'a', match: { header }, slo, slo_override: false }];
    const printed = config === undefined ? '' : printConfig({ ...config, workloads });
    expect(printed).not.toContain('canary');
    expect(printed).toContain(`Authorization: ${HIDDEN}`);
    expect(printed).toContain('x-team: red');
  });
});

describe('a file that says everything', () => {
  it('means what it says, however YAML would write it', () => {
    fc.assert(
      fc.property(anyConfigFile, (value) => {
        const text = stringify(value).replaceAll('${', '$$${');
        expect(read(text)).toEqual(Value.Decode(configSchema, value));
      }),
      { numRuns: 100 },
    );
  });
});
