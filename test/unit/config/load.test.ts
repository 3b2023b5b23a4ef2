import { mkdir, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { formatFault } from '../../../src/config/faults.ts';
import { type Loaded, loadConfig, loadText } from '../../../src/config/load.ts';
import { type ConfigFlags, NO_FLAGS } from '../../../src/config/overrides.ts';
import type { Config } from '../../../src/config/schema.ts';
import type { Environment } from '../../../src/config/substitute.ts';
import { tempDir } from '../../helpers/temp-dir.ts';

interface Given {
  text?: string;
  flags?: Partial<ConfigFlags>;
  env?: Environment;
}

function load({ text, flags = {}, env = {} }: Given): Loaded {
  const all = { ...NO_FLAGS, ...flags };
  return text === undefined ? loadConfig(all, env) : loadText('file.yaml', text, { flags: all, env });
}

function sound(given: Given): Config {
  const loaded = load(given);
  if (loaded.kind === 'faulty') throw new Error(loaded.faults.map(formatFault).join('\n'));
  return loaded.config;
}

function faults(given: Given): string[] {
  const loaded = load(given);
  return loaded.kind === 'faulty' ? loaded.faults.map(formatFault) : [];
}

const ONE = 'upstreams: [{ name: a, url: "http://a:1" }]\n';

describe('--upstream alone', () => {
  it('is a complete configuration: one upstream named default, and the defaults of the contract', () => {
    const { upstreams, ...rest } = sound({ flags: { upstream: 'http://10.0.0.5:8000' } });
    expect(upstreams).toEqual([
      {
        name: 'default',
        url: 'http://10.0.0.5:8000',
        match: { path: '/', host: null, model: null },
        engine: 'auto',
        metering: 'full',
        gpus: null,
        gpu_price_per_hour: null,
        conditions: {},
        floor: null,
        timeouts: { connect: 10_000, headers: 0, idle: 0 },
        max_connections: 0,
        keep_alive: 4_000,
        preserve_host: false,
        tls: { verify: true, ca: null },
        usage: 'auto',
      },
    ]);
    expect(rest).toEqual({
      listen: '127.0.0.1:8080',
      admin: { listen: '127.0.0.1:9464', token: null, public: false },
      workers: 1,
      models: [],
      workloads: [],
      identity: { user: [{ api_key: 'hash' }], salt: null, max_users: 200 },
      limits: {
        max_label_sets: 200,
        max_models: 100,
        body_prefix: 1_048_576,
        body_buffer: 8_388_608,
        body_buffer_total: 536_870_912,
        event_bytes: 4_194_304,
      },
      estimate: { enabled: true, budget_ms: 50 },
      usage_log: { path: null, rotate_bytes: 104_857_600, keep: 10, fsync: 'interval' },
      state: { path: null },
      metrics: { otel_names: false, process: true, extra: false },
      shutdown_delay: 0,
      shutdown_grace: 600_000,
      log: { level: 'info' },
    });
  });

  it("takes the place of the file's list", () => {
    const { upstreams, listen } = sound({ text: `listen: 127.0.0.1:1\n${ONE}`, flags: { upstream: 'http://b:2' } });
    expect(upstreams.map(({ name, url }) => [name, url])).toEqual([['default', 'http://b:2']]);
    expect(listen).toBe('127.0.0.1:1');
  });

  it('does not make a faulty list sound', () => {
    const text = 'upstreams: [{ name: a, url: "ftp://a" }]';
    expect(faults({ text, flags: { upstream: 'http://b:2' } })).toEqual([expect.stringContaining('file.yaml:1:29')]);
  });
});

describe('flags over environment over file over defaults', () => {
  it.each([
    { flag: 'listen', variable: 'PITOT_LISTEN', text: 'listen: 127.0.0.1:3', of: (config: Config) => config.listen },
    {
      flag: 'admin',
      variable: 'PITOT_ADMIN',
      text: 'admin: { listen: "127.0.0.1:3" }',
      of: (config: Config) => config.admin.listen,
    },
  ])('$flag', ({ flag, variable, text, of }) => {
    const flags = { [flag]: '127.0.0.1:1' };
    const env = { [variable]: '127.0.0.1:2' };
    const file = `${ONE}${text}\n`;
    expect(of(sound({ text: file, flags, env }))).toBe('127.0.0.1:1');
    expect(of(sound({ text: file, env }))).toBe('127.0.0.1:2');
    expect(of(sound({ text: file, env: { [variable]: '' } }))).toBe('127.0.0.1:3');
    expect(of(sound({ text: file }))).toBe('127.0.0.1:3');
  });

  it('upstream', () => {
    const env = { PITOT_UPSTREAM: 'http://b:2' };
    const urlOf = (given: Given) => sound(given).upstreams.map(({ url }) => url);
    expect(urlOf({ text: ONE, flags: { upstream: 'http://c:3' }, env })).toEqual(['http://c:3']);
    expect(urlOf({ text: ONE, env })).toEqual(['http://b:2']);
    expect(urlOf({ env })).toEqual(['http://b:2']);
    expect(urlOf({ text: ONE })).toEqual(['http://a:1']);
  });

  it('what only the environment and the file can say', () => {
    const text = `${ONE}admin: { token: from-file, public: false }\nlog: { level: warn }\nidentity: { salt: from-file }`;
    const env = { PITOT_ADMIN_TOKEN: '12345', PITOT_ADMIN_PUBLIC: 'true', PITOT_LOG_LEVEL: 'debug', PITOT_SALT: 'no' };
    expect(sound({ text, env })).toMatchObject({
      admin: { token: '12345', public: true },
      log: { level: 'debug' },
      identity: { salt: 'from-file' },
    });
    expect(sound({ text })).toMatchObject({ admin: { token: 'from-file' }, log: { level: 'warn' } });
  });

  it('the default of a secret is its variable', () => {
    expect(sound({ text: ONE, env: { PITOT_SALT: 'true' } }).identity.salt).toBe('true');
    expect(sound({ text: ONE, env: { PITOT_SALT: '' } }).identity.salt).toBeNull();
  });
});

describe('a fault in a flag or variable', () => {
  it.each([
    [{ flags: { upstream: 'foo:1' } }, '--upstream: expected an http:// or https:// URL'],
    [{ env: { PITOT_UPSTREAM: 'ftp://x' } }, 'PITOT_UPSTREAM: expected an http:// or https:// URL'],
    [{ flags: { listen: '8080' } }, '--listen: expected HOST:PORT'],
    [{ env: { PITOT_LISTEN: ':8080' } }, 'PITOT_LISTEN: expected HOST:PORT'],
    [{ flags: { admin: '0.0.0.0:9464' } }, '--admin: expected a loopback address'],
    [{ env: { PITOT_ADMIN: 'x' } }, 'PITOT_ADMIN: expected HOST:PORT'],
    [{ flags: { workers: 'two' } }, '--workers: expected a whole number, 1 or more, got "two"'],
    [{ flags: { workers: '0' } }, '--workers: expected a whole number, 1 or more, got "0"'],
    [
      { env: { PITOT_ADMIN_PUBLIC: 'yes' } },
      'PITOT_ADMIN_PUBLIC: expected true or false, got "yes"; did you mean "true"?',
    ],
    [{ env: { PITOT_LOG_LEVEL: 'warning' } }, 'did you mean "warn"?'],
    [{ env: { PITOT_ADMIN_TOKEN: 'canary token' } }, 'PITOT_ADMIN_TOKEN: expected printable ASCII characters'],
    [{ env: { PITOT_SALT: 'canary salt' } }, 'PITOT_SALT: expected printable ASCII characters'],
  ])('%j says which it was', (given: Given, sentence) => {
    const told = faults({ text: ONE, ...given });
    expect(told).toEqual([expect.stringContaining(sentence)]);
    expect(told.join()).not.toContain('canary');
  });

  it('is told together with those of the file', () => {
    const told = faults({ text: `${ONE}listn: x\n`, flags: { admin: 'x' }, env: { PITOT_LOG_LEVEL: 'x' } });
    expect(told.map((line) => line.split(': ')[0])).toEqual(['file.yaml:2:1', '--admin', 'PITOT_LOG_LEVEL']);
  });
});

describe('without any upstream', () => {
  it('one sentence tells the three ways to name one', () => {
    const [told, ...more] = faults({});
    expect(more).toEqual([]);
    expect(told).toContain('give --upstream URL, set PITOT_UPSTREAM or list one under upstreams in the --config file');
  });
});

describe('the admin port beyond loopback', () => {
  const admin = (keys: string) => `${ONE}admin: { listen: "0.0.0.0:9464", ${keys} }\n`;
  it('needs a token unless it is public', () => {
    expect(faults({ text: admin('') })).toHaveLength(1);
    expect(faults({ text: admin('token: ""') })).toHaveLength(1);
    expect(faults({ text: admin('token: x') })).toEqual([]);
    expect(faults({ text: admin('public: true') })).toEqual([]);
    expect(faults({ text: admin(''), env: { PITOT_ADMIN_TOKEN: 'x' } })).toEqual([]);
  });
});

describe('a file that cannot be read', () => {
  it('is one sentence, whatever the reason', async () => {
    await using folder = await tempDir();
    await mkdir(folder.file('folder'));
    await writeFile(folder.file('large'), 'x'.repeat(2 ** 20 + 1));
    const reasons = ['folder', 'missing', 'missing/too', 'large', 'x'.repeat(300)].map((name) => {
      const told = faults({ flags: { config: folder.file(name) } });
      expect(told).toHaveLength(1);
      return told[0]?.replace(folder.file(name), 'FILE');
    });
    expect(reasons).toEqual([
      'FILE: expected a readable file, got none: it is a directory',
      'FILE: expected a readable file, got none: there is no such file',
      'FILE: expected a readable file, got none: there is no such file',
      'FILE: expected a configuration of 1MiB at most, got a larger file',
      'FILE: expected a readable file, got none: its name is too long',
    ]);
  });

  it('is found by PITOT_CONFIG, and by --config before that', async () => {
    await using folder = await tempDir();
    await writeFile(folder.file('one'), ONE);
    const env = { PITOT_CONFIG: folder.file('one') };
    expect(sound({ env }).upstreams[0]?.url).toBe('http://a:1');
    expect(faults({ env, flags: { config: folder.file('other') } })).toHaveLength(1);
  });
});

describe('a byte order mark', () => {
  it('is no part of the text', async () => {
    await using folder = await tempDir();
    await writeFile(folder.file('bom'), `\ufeff${ONE}`);
    expect(sound({ flags: { config: folder.file('bom') } }).upstreams).toHaveLength(1);
  });
});
