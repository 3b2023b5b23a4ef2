import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { UsageRecord } from '../../src/meter/record.ts';
import type { Child, Children } from '../bench/children.ts';
import { argumentsFor, buildOf, listening } from '../bench/contestants/pitot.ts';
import { Exposition } from '../soak/exposition.ts';
import type { Counted } from './figures.ts';

/** A record is in the file at most a second after its request ended (CONTRACT §8); a window of the curve is closed after three. */
const SETTLE_MS = 4_000;

/** Of `/api/operating-curve`, what is compared: tokens per second and seconds. */
export interface ToldBin {
  readonly concurrency: number;
  readonly windows: number;
  readonly throughput: { readonly p50: number } | null;
  readonly models: readonly {
    readonly speed: { readonly p50: number } | null;
    readonly ttft: { readonly p50: number } | null;
  }[];
}

/** The gateway between the tool and the engine, with a usage log. */
export class MeasuredPitot {
  readonly url: string;
  /** Its version and what it was built from. */
  readonly about: string;
  readonly #admin: string;
  readonly #log: string;

  private constructor(parts: { url: string; admin: string; log: string; about: string }) {
    this.url = parts.url;
    this.about = parts.about;
    this.#admin = parts.admin;
    this.#log = parts.log;
  }

  static async start(children: Children, main: string, engine: string): Promise<MeasuredPitot> {
    const log = join(children.directory, 'usage.jsonl');
    const upstreams = [{ name: 'engine', url: engine }];
    const args = argumentsFor(children, 'sweep', { upstreams, usage_log: { path: log } });
    const child = children.start('pitot', [process.execPath, main, ...args]);
    const { data, admin } = await listening(child);
    const address = ({ host, port }: typeof data) => `http://${host}:${port}`;
    return new MeasuredPitot({ url: address(data), admin: address(admin), log, about: aboutOf(child, main) });
  }

  async metrics(): Promise<Exposition> {
    return new Exposition(await this.#ask('/metrics'));
  }

  async curve(): Promise<readonly ToldBin[]> {
    const { curves } = JSON.parse(await this.#ask('/api/operating-curve')) as { curves: { bins: ToldBin[] }[] };
    return curves[0]?.bins ?? [];
  }

  /** Resolves when what has ended is in the log, the counters and the curve. */
  async settle(): Promise<void> {
    await wait(SETTLE_MS);
  }

  /** Of generations only. */
  records(): UsageRecord[] {
    const lines = readFileSync(this.#log, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as UsageRecord).filter(({ api }) => api !== 'other');
  }

  async #ask(path: string): Promise<string> {
    return await (await fetch(`${this.#admin}${path}`)).text();
  }
}

function aboutOf({ logFile }: Child, main: string): string {
  const { version } = JSON.parse(readFileSync(logFile, 'utf8').split('\n')[0] ?? '{}') as { version?: string };
  return `${version ?? 'unknown'} at ${buildOf(main)}`;
}

export function grown(from: Exposition, to: Exposition): Counted {
  const by = (name: string) => to.sum(name) - from.sum(name);
  const mean = (name: string) => (by(`${name}_count`) === 0 ? null : by(`${name}_sum`) / by(`${name}_count`));
  const ms = (seconds: number | null) => (seconds === null ? null : seconds * 1000);
  return {
    outputTokens: by('pitot_output_tokens_total') - by('pitot_withheld_tokens'),
    busySeconds: by('pitot_upstream_busy_seconds_total'),
    ttftMeanMs: ms(mean('pitot_time_to_first_token_seconds')),
    tpotMeanMs: ms(mean('pitot_time_per_output_token_seconds')),
    userSpeedMean: mean('pitot_user_speed_tokens_per_second'),
  };
}
