import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../config/clickhouse/', import.meta.url));
const SCHEMA = readFileSync(`${FOLDER}schema.sql`, 'utf8');

/** ClickHouse's one program is on this machine; without it the suites that need it say so and are skipped. */
export const hasClickHouse = spawnSync('clickhouse', ['--version']).status === 0;

/** The columns of pitot.usage by the text of schema.sql: two levels of parentheses, one column a line but for tuples. */
export const COLUMNS: readonly { readonly name: string; readonly type: string }[] = [
  ...(SCHEMA.match(/pitot\.usage\n\(\n([\s\S]*?)\n\)\n/)?.[1] ?? '')
    .replace(
      /\(\n\s+([^()]*(?:\([^()]*\)[^()]*)*)\n\s+\)/g,
      (_all, inside: string) => `(${inside.replace(/\s+/g, ' ')})`,
    )
    .matchAll(/^ {4}(\w+) (.*?),?$/gm),
].map(([, name = '', type = '']) => ({ name, type }));

/** Tables of its own in a folder, as `clickhouse local` keeps them. */
export class ClickHouse {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#run(['--queries-file', `${FOLDER}schema.sql`]);
  }

  /** As a shipper puts them in. */
  insert(lines: string): void {
    const query = 'INSERT INTO pitot.usage FORMAT JSONEachRow';
    this.#run(['--date_time_input_format=best_effort', '--query', query], lines);
  }

  run(query: string): void {
    this.#run(['--query', query]);
  }

  /** Rows of a shipped query, numbers as numbers. */
  ask(query: string, between: { from: string; to: string }): Record<string, unknown>[] {
    const output = this.#run([
      '--output_format_json_quote_64bit_integers=0',
      '--output-format',
      'JSONEachRow',
      `--param_from=${between.from}`,
      `--param_to=${between.to}`,
      '--queries-file',
      `${FOLDER}queries/${query}.sql`,
    ]);
    return output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  #run(args: readonly string[], input = ''): string {
    const all = ['local', '--path', this.#folder, ...args];
    const { status, stdout, stderr } = spawnSync('clickhouse', all, { encoding: 'utf8', input });
    if (status !== 0) throw new Error(`clickhouse ${all.join(' ')}: ${stderr}`);
    return stdout;
  }
}
