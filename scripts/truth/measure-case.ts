import { setTimeout as wait } from 'node:timers/promises';
import { median } from '../bench/statistics.ts';
import type { TruthCase } from './cases.ts';
import type { Written } from './emissions.ts';
import type { CaseFigures, Errors } from './figures.ts';
import type { MeasuredPitot, Parties } from './parties.ts';
import { recordErrors, tpotMs, ttftMs } from './records.ts';
import {
  counted,
  gauge,
  inFlight,
  meanBetween,
  quantileBetween,
  type Scrape,
  scrape,
  scrapeEverySecond,
  windowOf,
} from './scrapes.ts';

/** A record is in the log a second after its request at the latest. */
const RECORDED_MS = 1_500;
const WINDOWS = { live1s: 1, live10s: 10 } as const;

export interface CasePlan {
  readonly truthCase: TruthCase;
  readonly users: number;
  readonly seconds: number;
  /** Until all users are at work, answers of all ages are under way, and the longest window holds nothing else. */
  readonly warmUpSeconds: number;
}

interface Stretch {
  readonly begin: Scrape;
  readonly scrapes: readonly Scrape[];
  readonly end: Scrape;
  readonly cpuShare: number;
}

export async function measureCase(pitot: MeasuredPitot, parties: Parties, plan: CasePlan): Promise<CaseFigures> {
  await parties.written();
  pitot.records();
  const stretch = await run(pitot, parties, plan);
  const written = await parties.written();
  const records = recordErrors(pitot.records(), written, stretch.scrapes[0]?.atUs ?? 0);
  return {
    ...(await liveFigures(parties, stretch)),
    ...endFigures(stretch, written),
    ...relayFigures(stretch),
    ...named(plan),
    records,
  };
}

function named({ truthCase: { name, load, goal }, users }: CasePlan) {
  return { name, load, goal, users };
}

async function run(pitot: MeasuredPitot, parties: Parties, plan: CasePlan): Promise<Stretch> {
  const { truthCase, users, seconds, warmUpSeconds } = plan;
  const begin = await scrape(pitot);
  const groups = truthCase.groups(users);
  await parties.clients({ kind: 'open', target: pitot.data, name: truthCase.name.replaceAll(/\W+/g, '-'), groups });
  await wait(warmUpSeconds * 1000);
  const before = { cpuMs: pitot.cpuMs(), ms: performance.now() };
  await parties.truth({ spans: [], momentsUs: [] });
  const scrapes = await scrapeEverySecond(pitot, seconds + 1);
  const cpuShare = (pitot.cpuMs() - before.cpuMs) / (performance.now() - before.ms);
  await parties.clients({ kind: 'finish' });
  await wait(RECORDED_MS);
  return { begin, scrapes, end: await scrape(pitot), cpuShare };
}

async function liveFigures(parties: Parties, { begin, scrapes }: Stretch) {
  const [first = begin, last = begin] = [scrapes[0], scrapes.at(-1)];
  const whole = { fromUs: first.atUs, toUs: last.atUs };
  const windows = Object.values(WINDOWS).flatMap((seconds) => scrapes.map((one) => windowOf(one, seconds)));
  const truth = await parties.truth({
    spans: [whole, ...windows],
    momentsUs: scrapes.map(({ atUs }) => atUs),
  });
  const [wholeTokens = 0, ...tokens] = truth.tokens;
  const seconds = (last.atUs - first.atUs) / 1e6;
  const errors = Object.entries(WINDOWS).map(([name, length], place): [string, Errors] => {
    const said = scrapes.map((one) => gauge(one, `${length}s`) * length);
    return [name, errorsOf(said, tokens.slice(place * scrapes.length, (place + 1) * scrapes.length))];
  });
  const { live1s = NONE, live10s = NONE } = Object.fromEntries(errors);
  return {
    tokensPerSecond: wholeTokens / seconds,
    live1s,
    live10s,
    counterRate: (counted(last) - counted(first)) / wholeTokens - 1,
    inFlight: errorsOf(scrapes.map(inFlight), truth.inFlight),
    upstreamLateP99Ms: truth.lateP99Us === null ? null : truth.lateP99Us / 1000,
  };
}

/** What is known when all has ended. */
function endFigures({ begin, scrapes, end }: Stretch, written: readonly Written[]) {
  const warm = scrapes[0] ?? begin;
  const mean = (metric: string, trueMs: (answer: Written) => number | null) => {
    const said = meanBetween(metric, warm, end);
    const true_ = written.filter(({ endedUs }) => endedUs >= warm.atUs).flatMap((answer) => trueMs(answer) ?? []);
    return said === null ? null : (said * 1000) / (sum(true_) / true_.length) - 1;
  };
  const withheld = ({ exposition }: Scrape) => exposition.sum('pitot_withheld_tokens');
  const grown = counted(end) - withheld(end) - counted(begin) + withheld(begin);
  return {
    ttftMean: mean('pitot_time_to_first_token_seconds', ttftMs),
    tpotMean: mean('pitot_time_per_output_token_seconds', tpotMs),
    gapMean: mean('pitot_request_longest_gap_seconds', ({ chunks, longestGapUs }) =>
      chunks < 2 ? null : longestGapUs / 1000,
    ),
    tokensOff: grown - sum(written.map(({ tokens }) => tokens)),
  };
}

/** Whether the gateway has become part of the measurement. */
function relayFigures({ begin, scrapes, end, cpuShare }: Stretch) {
  const [first = begin, last = begin] = [scrapes[0], scrapes.at(-1)];
  const relayDelay = (share: number) =>
    milliseconds(quantileBetween('pitot_relay_delay_seconds', { share, from: first, to: last }));
  const blocked = ({ exposition }: Scrape) => exposition.sum('pitot_client_blocked_seconds_total');
  return {
    relayDelayP50Ms: relayDelay(0.5),
    relayDelayP99Ms: relayDelay(0.99),
    loopLagP99Ms: milliseconds(last.exposition.sum('pitot_event_loop_lag_p99_seconds')),
    cpuShare,
    scrapeMs: (median(scrapes.map(({ tookUs }) => tookUs)) ?? 0) / 1000,
    clientBlockedSeconds: blocked(end) - blocked(begin),
  };
}

const NONE: Errors = { median: 0, largest: 0 };

function errorsOf(said: readonly number[], true_: readonly number[]): Errors {
  const errors = said.map((value, at) => Math.abs(value / (true_[at] ?? 0) - 1));
  return { median: median(errors) ?? 0, largest: Math.max(...errors) };
}

function milliseconds(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
