import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '../../src/demo/random.ts';
import { Engine } from './engine.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { Pitot } from './pitot.ts';
import { RecordReader } from './records.ts';
import { Books, inFlight, mapText, settled, type Verdict, verdict } from './rules.ts';
import { configOf } from './site.ts';
import { Traffic } from './traffic.ts';
import { Watch } from './watch.ts';

/**
 * `npm run soak`: traffic of every kind, with every fault, against the real program in a process of its own.
 * Now and then everything comes to rest, and what Pitot has counted is held against what it has recorded,
 * what its clients saw and what its upstream told.
 */

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Until code is compiled, tables are full and pools have found their size. */
const WARM_UP_SHARE = 0.3;
const LONGEST_ROUND_MS = 60_000;
const MOST_ROUNDS = 15;
/** A record is in the file a second after its request; local counts may take a while longer. */
const SETTLE_LIMIT_MS = 15_000;

async function soak(options: Options): Promise<boolean> {
  const engine = new Engine();
  await engine.start();
  const main = resolve(options.pitot ?? `${root}dist/main.js`);
  const pitot = await Pitot.start({ main, workers: options.workers, config: configOf(engine.port) });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      pitot.destroy();
      process.exit(130);
    });
  }
  try {
    return await new Soak(options, engine, pitot).run();
  } finally {
    pitot.destroy();
    await engine.stop();
  }
}

class Soak {
  readonly #options: Options;
  readonly #engine: Engine;
  readonly #pitot: Pitot;
  readonly #books = new Books();
  readonly #reader: RecordReader;
  readonly #watch: Watch;
  readonly #traffic: Traffic;
  readonly #endings = new Map<string, number>();
  #warmUpRequests = 0;

  constructor(options: Options, engine: Engine, pitot: Pitot) {
    this.#options = options;
    this.#engine = engine;
    this.#pitot = pitot;
    this.#reader = new RecordReader(pitot.usageLog);
    this.#watch = new Watch(pitot);
    this.#traffic = new Traffic({
      pitot,
      engine,
      random: seededRandom(options.seed),
      clients: options.clients,
      onSeen: (seen) => {
        this.#books.sent(seen);
        this.#endings.set(seen.ending, (this.#endings.get(seen.ending) ?? 0) + 1);
      },
    });
  }

  /** True when every rule holds. */
  async run(): Promise<boolean> {
    const { minutes, clients, workers, seed } = this.#options;
    const totalMs = minutes * 60_000;
    console.log(`${minutes} min of traffic, ${clients} clients, ${workers} workers, seed ${seed}`);
    if (!(await this.#round(totalMs * WARM_UP_SHARE, 'warm-up'))) return await this.#conclude();
    this.#warmUpRequests = this.#traffic.sent;
    await this.#watch.rest();
    this.#watch.start();
    const restMs = totalMs * (1 - WARM_UP_SHARE);
    const rounds = Math.min(MOST_ROUNDS, Math.max(3, Math.round(restMs / LONGEST_ROUND_MS)));
    for (let round = 1; round <= rounds; round += 1) {
      if (!(await this.#round(restMs / rounds, `${round}/${rounds}`))) break;
    }
    this.#watch.stop();
    await this.#watch.rest();
    return await this.#conclude();
  }

  /** Traffic, then a rest; says how it stands. False: a rule is broken already. */
  async #round(forMs: number, name: string): Promise<boolean> {
    await this.#traffic.run(forMs);
    const verdicts = await this.#atRest();
    const broken = verdicts.filter(({ holds }) => !holds);
    const state = `${this.#books.records} records, ${this.#watch.residentText} resident`;
    console.log(`  ${name}: ${state}${broken.length > 0 ? `, ${broken.length} RULES BROKEN` : ''}`);
    return broken.length === 0;
  }

  /** Waits until all that is owed has come, or is missing. */
  async #atRest(): Promise<Verdict[]> {
    const untilMs = performance.now() + SETTLE_LIMIT_MS;
    for (;;) {
      await wait(300);
      for (const record of this.#reader.next())
        this.#books.add(record, this.#engine.told.get(record.request_id) ?? null);
      const metrics = await this.#pitot.metrics();
      const verdicts = [...this.#books.verdicts(), ...settled(metrics, this.#books)];
      const isSettled = inFlight(metrics) === 0 && verdicts.every(({ holds }) => holds);
      if (isSettled || performance.now() > untilMs) {
        this.#engine.told.clear();
        return verdicts;
      }
    }
  }

  async #conclude(): Promise<boolean> {
    const verdicts = [...(await this.#atRest()), ...this.#watch.verdicts(this.#traffic.sent - this.#warmUpRequests)];
    const errors = this.#pitot.errorLines;
    const code = await this.#pitot.stop();
    this.#reader.next();
    verdicts.push(
      verdict('nothing was logged as an error', errors.length === 0, errors.slice(0, 3).join(' ') || 'nothing'),
      verdict('it ends when it is told to, with 0', code === 0, `exit code ${code}`),
      verdict('every line of the usage log is whole', this.#reader.isWhole, `${this.#reader.tornLines} torn`),
    );
    this.#report(verdicts);
    return verdicts.every(({ holds }) => holds);
  }

  #report(verdicts: readonly Verdict[]): void {
    const { reloads, refusals } = this.#pitot;
    const width = Math.max(...verdicts.map(({ rule }) => rule.length));
    console.log(`\n${this.#traffic.sent} requests; clients saw ${mapText(this.#endings)}`);
    console.log(`upstream restarts ${this.#engine.restarts}, reloads ${reloads}, refused ${refusals}`);
    console.log(`counted by ${mapText(this.#books.sources)}\n`);
    for (const { rule, holds, found } of verdicts)
      console.log(`  ${holds ? 'ok    ' : 'BROKEN'}  ${rule.padEnd(width)}  ${found}`);
    console.log(`\n${verdicts.filter(({ holds }) => holds).length} of ${verdicts.length} rules hold`);
  }
}

/** @throws Error when the sources do not compile. */
function build(): void {
  const { status } = spawnSync(process.execPath, [`${root}scripts/build.mjs`], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('Pitot could not be built; --pitot MAIN.JS soaks a build that is there.');
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) console.log(USAGE);
  else {
    if (options.pitot === null) build();
    process.exitCode = (await soak(options)) ? 0 : 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
