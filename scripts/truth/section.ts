import { readFileSync } from 'node:fs';
import { type CaseFigures, type Errors, type TruthRun, verdictOf } from './figures.ts';

/** The run that the documentation speaks of. */
const COMMITTED = new URL('../../docs/truth-under-load.json', import.meta.url);

export function committedTruth(): TruthRun {
  return JSON.parse(readFileSync(COMMITTED, 'utf8')) as TruthRun;
}

/** Lines of Markdown: a section of docs/ACCURACY.md. */
export function truthSection(run: TruthRun): string[] {
  const { cores, cpu, kernel, node } = run.machine;
  const where = `${run.time.slice(0, 10)}, ${cores} cores of ${cpu}, Linux ${kernel}, Node ${node}, one worker`;
  return [
    '## Truth under load',
    '',
    `${where}; upstream, clients and gateway share the machine. At ${whole(run.saturation)} tokens a second, each an event of its own, the worker had used up its core or the others theirs: that is saturation. ${METHOD}`,
    '',
    ...truthTables(run),
    '',
    ...NOTES,
    `Waited for clients in all cases together: ${waited(run)} s.`,
    '',
  ];
}

/** Lines of Markdown: the figures of a run. */
export function truthTables(run: TruthRun): string[] {
  return [
    ...table(
      ['', 'tokens/s', 'live, 1 s', 'live, 10 s', 'counter’s rate', 'in flight', 'tokens in the end', 'goal'],
      run.cases.map((one) => [
        one.name,
        whole(one.tokensPerSecond),
        errors(one.live1s),
        errors(one.live10s),
        signed(one.counterRate),
        errors(one.inFlight),
        one.tokensOff === 0 ? 'exact' : `${one.tokensOff > 0 ? '+' : '−'}${whole(Math.abs(one.tokensOff))}`,
        goalOf(one),
      ]),
    ),
    '',
    ...table(
      ['', 'TTFT', 'its mean', 'TPOT', 'its mean', 'longest gap', 'its mean', 'records', 'with another count'],
      run.cases.map(({ name, records, ttftMean, tpotMean, gapMean }) => [
        name,
        `${percent(records.ttft.p50)} / ${percent(records.ttft.p99)}`,
        signed(ttftMean),
        `${percent(records.tpot.p50)} / ${percent(records.tpot.p99)}`,
        signed(tpotMean),
        `${percent(records.longestGap.p50)} / ${percent(records.longestGap.p99)}`,
        signed(gapMean),
        whole(records.records),
        String(records.miscounted),
      ]),
    ),
    '',
    ...table(
      ['', 'of a core', 'relay delay p50', 'p99', 'event-loop lag p99', 'a scrape takes', 'upstream late p99'],
      run.cases.map((one) => [
        one.name,
        `${whole(one.cpuShare * 100)} %`,
        ms(one.relayDelayP50Ms),
        ms(one.relayDelayP99Ms),
        ms(one.loopLagP99Ms),
        ms(one.scrapeMs),
        ms(one.upstreamLateP99Ms),
      ]),
    ),
  ];
}

function goalOf(figures: CaseFigures): string {
  const verdict = verdictOf(figures);
  return figures.goal === null ? '' : `${percent(figures.goal.reach)}: ${verdict}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

function errors({ median, largest }: Errors): string {
  return `${percent(median)} / ${percent(largest)}`;
}

function percent(share: number | null): string {
  return share === null ? '–' : `${(100 * share).toFixed(2)} %`;
}

function signed(share: number | null): string {
  if (share === null) return '–';
  return `${share < 0 ? '−' : '+'}${percent(Math.abs(share))}`;
}

function ms(value: number | null): string {
  return value === null ? '–' : `${value < 1 ? value.toFixed(3) : value.toFixed(1)} ms`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

const METHOD =
  '`npm run truth` lets an upstream write tokens by a known schedule and note the moment of every write; Pitot relays; and what `/metrics` and the usage records say is held against what was written. Errors are relative and shown as median / largest of all readings, those of records as median / 99th percentile.';

const NOTES = [
  '**The cases.** Answers of 200 tokens, 50 a second, with a pause of a quarter of a second in the middle, and usage at their end. *4 tokens a chunk*: 800 tokens, four in each event; until the first answer of a model has ended, a chunk counts as one token, so that such a gauge shows a quarter for as long. *Usage never reported*: what counts is the local tokenizer, and before that the live estimate. *Streams cut and left*: a tenth is broken off by the upstream after 70 chunks, a tenth left by its clients after 1.5 s. *Slow clients*: one in twenty stops reading for 3 s at a time, of streams with 16 KiB in every event: what they do not read waits in the buffers of their connections first, and only when those are full does the gateway wait for them. The four load levels run in one process, all others in a fresh one each.',
  '',
  '**How the two align in time.** The gauges of `pitot_throughput_tokens_per_second` hold whole seconds of the machine’s monotonic clock, which the upstream reads too, and a token belongs to the second in which the gateway read it. So they are scraped in the middle of a second and held against exactly the seconds they speak of; what remains is the way from the upstream’s write to the gateway’s read: the kernel’s buffers and the turn of the event loop, a millisecond at low load. At the edge of a window that much is on the wrong side, so that the error of a window falls with its length. The live estimate also holds back one token of each running stream, which its window gets when the stream has ended: with answers of 200 tokens the gauge over 1 s reads some 0.4 % low. The counter is held against the time between two scrapes, each taken to be in the middle between question and answer, as a Prometheus does it.',
  '',
  '**What the columns say.** `live, 10 s` is what the goal speaks of: the largest error of any reading. `counter’s rate` is the growth of `pitot_output_tokens_total` between the first and the last scrape. `in flight` is `pitot_requests_in_flight` against the answers that the upstream had begun and not ended. `tokens in the end`: once all is at rest, the counter less `pitot_withheld_tokens` less what was written, in tokens; where clients leave, the upstream has written a token or so that nobody read any more. `TTFT`, `TPOT` and `longest gap` are those of usage records, each against its own answer, and `its mean` is that of the histogram: sum by count. Records of answers that a client held up are not compared: their times are the client’s.',
  '',
  '**When the gateway has become part of the measurement.** `pitot_relay_delay_seconds` is the time from a chunk’s read to its hand-over to the client’s socket, and says what the relay itself adds. It does not see a chunk that waits to be read: `pitot_event_loop_lag_p99_seconds` does. Times in records are wrong by about that lag, in milliseconds, whatever their length: of a TTFT of 300 ms a few are little, of a TPOT they cancel out over the answer.',
  '',
];

function waited({ cases }: TruthRun): string {
  return cases.reduce((sum, { clientBlockedSeconds }) => sum + clientBlockedSeconds, 0).toFixed(1);
}
