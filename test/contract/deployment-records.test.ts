import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { COLUMNS } from '../helpers/clickhouse.ts';
import { usageRecord } from '../helpers/usage-record.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const yaml = (path: string) => parse(text(path));
/** What src/meter/record.ts says of each field: whether it may be null. */
const FIELDS = (text('src/meter/record.ts').match(/interface UsageRecord \{([\s\S]*?)\n\}/)?.[1] ?? '')
  .split('\n')
  .flatMap((line) => [...line.matchAll(/^ {2}(\w+): (.*);$/g)])
  .map(([, name = '', type = '']) => ({ name, mayBeNull: type.includes('null') }));
/** A tuple cannot be null as a whole: its parts are. */
const TUPLES = ['server_timings'];
const NEEDED_MAX_BYTES = 256 * 1_024;
const LOG = '/var/lib/pitot/usage.jsonl';

describe('the ClickHouse table', () => {
  it('has every field of the record, in its order', () => {
    expect(FIELDS.map(({ name }) => name)).toEqual(Object.keys(usageRecord()));
    expect(COLUMNS.map(({ name }) => name)).toEqual(FIELDS.map(({ name }) => name));
  });

  it('has null for what may be unknown, and only for that', () => {
    const nullable = COLUMNS.filter(({ type }) => type.includes('Nullable(')).map(({ name }) => name);
    expect(nullable).toEqual(FIELDS.filter(({ mayBeNull }) => mayBeNull).map(({ name }) => name));
    for (const name of TUPLES) expect(COLUMNS.find((column) => column.name === name)?.type).toMatch(/^Tuple\(/);
  });
});

describe('the queries', () => {
  const files = readdirSync(join(ROOT, 'config/clickhouse/queries'));

  it.each(files)('%s is explained, takes from and to, and counts no record twice', (file) => {
    const query = text(`config/clickhouse/queries/${file}`);
    expect(query).toMatch(/^-- /);
    expect(query).toContain("time >= toDateTime64({from:Date}, 3, 'UTC') AND time < toDateTime64({to:Date}, 3, 'UTC')");
    expect(query).toContain('FROM pitot.usage FINAL');
    expect(text('docs/RECORDS.md')).toContain(`(../config/clickhouse/queries/${file})`);
  });
});

describe.each(['vector', 'fluent-bit'])('the examples for %s', (shipper) => {
  it('go to ClickHouse, Kafka and S3', () => {
    const names = ['to-clickhouse.yaml', 'to-kafka.yaml', 'to-s3.yaml', 'usage.yaml'];
    expect(readdirSync(join(ROOT, 'config', shipper)).sort()).toEqual(names);
    for (const name of names) expect(yaml(`config/${shipper}/${name}`)).toBeTypeOf('object');
  });

  it('have no password in them', () => {
    for (const file of ['to-clickhouse.yaml', 'to-kafka.yaml', 'to-s3.yaml']) {
      const secrets = text(`config/${shipper}/${file}`).match(/\b(password|http_passwd|secret\w*): .*/g) ?? [];
      for (const line of secrets) expect(line).toMatch(/: \$\{\w+\}$/);
    }
  });
});

describe('the example for Vector', () => {
  const { sources, transforms, sinks } = yaml('config/vector/usage.yaml');

  it('reads the log of the container, renamed files included, and knows each by its first line', () => {
    expect(yaml('config/compose/pitot.yaml').usage_log.path).toBe(LOG);
    expect(sources.usage_log).toMatchObject({
      type: 'file',
      include: [LOG, `${LOG}.*`],
      fingerprint: { strategy: 'checksum' },
      read_from: 'beginning',
    });
    expect(sources.usage_log.max_line_bytes).toBeGreaterThanOrEqual(NEEDED_MAX_BYTES);
  });

  it('is connected from end to end, and what is no record is shown', () => {
    const files = ['to-clickhouse', 'to-kafka', 'to-s3'].map((name) => yaml(`config/vector/${name}.yaml`));
    const parts = Object.assign(
      {},
      sources,
      transforms,
      sinks,
      ...files.flatMap((file) => [file.transforms, file.sinks]),
    );
    const outputs = [...Object.keys(parts), 'usage.dropped'];
    for (const { inputs = [] } of Object.values<{ inputs?: string[] }>(parts)) {
      for (const input of inputs) expect(outputs).toContain(input);
    }
    expect(transforms.usage).toMatchObject({ drop_on_error: true, reroute_dropped: true });
    expect(sinks.unread.inputs).toEqual(['usage.dropped']);
  });

  it('is not done with a record before it is delivered', () => {
    for (const name of ['to-clickhouse', 'to-kafka', 'to-s3']) {
      for (const sink of Object.values(yaml(`config/vector/${name}.yaml`).sinks)) {
        expect(sink).toMatchObject({
          acknowledgements: { enabled: true },
          buffer: { type: 'disk', when_full: 'block' },
        });
      }
    }
  });

  it('writes into the table of schema.sql', () => {
    const { database, table, date_time_best_effort } = yaml('config/vector/to-clickhouse.yaml').sinks.clickhouse;
    expect({ table: `${database}.${table}`, date_time_best_effort }).toEqual({
      table: 'pitot.usage',
      date_time_best_effort: true,
    });
  });
});

describe('the example for Fluent Bit', () => {
  const { includes, parsers, pipeline } = yaml('config/fluent-bit/usage.yaml');
  const [tail] = pipeline.inputs;

  it('reads the log of the container, follows it when it is renamed, and leaves out no record for its length', () => {
    expect(tail).toMatchObject({ path: LOG, read_from_head: true, 'storage.type': 'filesystem' });
    expect(tail.rotate_wait).toBeGreaterThanOrEqual(3_600);
    expect(tail.buffer_max_size).toBe('1M');
    expect(tail.parser).toBe(parsers[0].name);
  });

  it('keeps the time that is a field of the record', () => {
    expect(parsers[0]).toMatchObject({ format: 'json', time_key: 'time', time_keep: true });
  });

  it('includes one of the files beside it, and each of them takes the tag that is read', () => {
    expect(includes).toEqual(['to-clickhouse.yaml']);
    for (const name of ['to-clickhouse', 'to-kafka', 'to-s3']) {
      const [output] = yaml(`config/fluent-bit/${name}.yaml`).pipeline.outputs;
      expect(output).toMatchObject({ match: tail.tag, retry_limit: 'no_limits' });
    }
  });

  it('writes into the table of schema.sql', () => {
    const [{ uri }] = yaml('config/fluent-bit/to-clickhouse.yaml').pipeline.outputs;
    const parameters = new URL(uri, 'http://clickhouse').searchParams;
    expect(parameters.get('query')).toBe('INSERT INTO pitot.usage FORMAT JSONEachRow');
    expect(parameters.get('date_time_input_format')).toBe('best_effort');
  });
});
