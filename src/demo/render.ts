import { bigText, sparkline } from './glyphs.ts';
import type { DemoView } from './view.ts';

/** A frame is at least and at most this wide; a terminal outside of it cuts or leaves a margin. */
const WIDTH = { least: 46, most: 100 };
/** From this width on, the two figures stand side by side. */
const TWO_COLUMNS_FROM = 72;
/** What stands beside a curve: the time it spans and its highest bar. */
const HISTORY_NOTE_COLUMNS = ' 60 s, max 12,345'.length;

/** How parts of the frame are set off from each other. Each keeps the visible width of its text. */
export interface Ink {
  title(text: string): string;
  notice(text: string): string;
  throughput(text: string): string;
  userSpeed(text: string): string;
  quiet(text: string): string;
}

const asIs = (text: string): string => text;
export const PLAIN_INK: Ink = { title: asIs, notice: asIs, throughput: asIs, userSpeed: asIs, quiet: asIs };

const styled = (code: string) => (text: string) => (text.trim() === '' ? text : `\u001b[${code}m${text}\u001b[0m`);
export const COLOUR_INK: Ink = {
  title: styled('1'),
  notice: styled('30;43'),
  throughput: styled('36'),
  userSpeed: styled('32'),
  quiet: styled('2'),
};

/** One frame of the demo, `width` columns at most, lines parted by a line feed. */
export function render(view: DemoView, width: number, ink: Ink = PLAIN_INK): string {
  const columns = Math.max(WIDTH.least, Math.min(WIDTH.most, width));
  const lines = [
    ...headLines(view, columns, ink),
    '',
    ...figureLines(view, columns, ink),
    '',
    ...factLines(view, columns, ink),
  ];
  return lines.join('\n');
}

function headLines(view: DemoView, columns: number, ink: Ink): string[] {
  const left = ' pitot demo  ';
  const until = view.forSeconds === null ? '' : ` of ${clockTime(view.forSeconds)}`;
  const right = `${clockTime(view.elapsedSeconds)}${until}, Ctrl-C ends `;
  const notice = ' SIMULATION: embedded engine, no real model ';
  const between = (taken: number) => ' '.repeat(Math.max(1, columns - taken - right.length));
  if (left.length + notice.length + right.length < columns) {
    return [ink.title(left) + ink.notice(notice) + between(left.length + notice.length) + ink.quiet(right)];
  }
  return [ink.title(left) + between(left.length) + ink.quiet(right), ` ${ink.notice(cut(notice, columns - 1))}`];
}

interface Figure {
  title: string;
  value: string;
  unit: string;
  history: readonly (number | null)[];
  colour: (text: string) => string;
}

function figureLines(view: DemoView, columns: number, ink: Ink): string[] {
  const { throughput, user_speed: speed, in_flight: flight } = view.snapshot;
  const inFlight = flight.prefill + flight.decode + flight.unstreamed;
  const system: Figure = {
    title: 'SYSTEM THROUGHPUT',
    value: whole(throughput.tokens_per_second['10s']),
    unit: `tokens/s over 10 s, ${inFlight} in flight`,
    history: view.history.throughput,
    colour: ink.throughput,
  };
  const user: Figure = {
    title: 'PER-USER SPEED',
    value: fine(speed?.p50 ?? null),
    unit: `tokens/s p50, one in ten below ${fine(speed?.p10 ?? null)}`,
    history: view.history.userSpeed,
    colour: ink.userSpeed,
  };
  if (columns < TWO_COLUMNS_FROM) {
    return [...figureColumn(system, columns, ink), '', ...figureColumn(user, columns, ink)];
  }
  const half = Math.floor(columns / 2);
  const right = figureColumn(user, half, ink);
  return figureColumn(system, half, ink).map((line, index) => line + (right[index] ?? ''));
}

/** Every line of a column has exactly its width, so that another can stand beside it. */
function figureColumn(figure: Figure, columns: number, ink: Ink): string[] {
  const cell = (text: string, paint: (text: string) => string) => ` ${paint(padded(text, columns - 2))} `;
  const { bars, highest } = sparkline(figure.history, columns - 2 - HISTORY_NOTE_COLUMNS);
  return [
    cell(figure.title, ink.title),
    ...bigText(figure.value).map((line) => cell(line, figure.colour)),
    cell(figure.unit, ink.quiet),
    cell('', asIs),
    cell(`${bars} ${figure.history.length} s, max ${whole(highest)}`, figure.colour),
  ];
}

function factLines(view: DemoView, columns: number, ink: Ink): string[] {
  const { ttft, in_flight: flight, requests_total: requests, upstreams, throughput } = view.snapshot;
  const seconds = throughput.tokens_per_second['60s'];
  const facts: [string, string][] = [
    ['TTFT', ttft === null ? '–' : `p50 ${duration(ttft.p50_ms)} · p95 ${duration(ttft.p95_ms)}`],
    ['in flight', `prefill ${flight.prefill} · decode ${flight.decode} · unstreamed ${flight.unstreamed}`],
    ['load', `${view.wantedConcurrency} wanted at once, walking 1 → 32 → 1`],
    ['requests', `${whole(requests)} done`],
    ...upstreams.map((upstream): [string, string] => ['upstream', `${upstream.name} ${upness(upstream.up)}`]),
    [
      'last 60 s',
      `${whole(seconds)} tokens/s measured · ${whole(view.engineTokensPerSecond)} by the engine's own count`,
    ],
    ...view.conditions.map((text, index): [string, string] => [index === 0 ? 'conditions' : '', text]),
  ];
  const row = ([label, text]: [string, string]) => ` ${ink.quiet(padded(label, 10))} ${cut(text, columns - 12)}`;
  const urls = view.urls.map(({ label, url }): [string, string] => [label, url]);
  return [...facts.map(row), '', ...urls.map(row)];
}

function upness(up: boolean | null): string {
  if (up === null) return 'not asked yet';
  return up ? 'up' : 'DOWN';
}

function cut(text: string, columns: number): string {
  const characters = [...text];
  return characters.length <= columns ? text : `${characters.slice(0, columns - 1).join('')}…`;
}

function padded(text: string, columns: number): string {
  const short = cut(text, columns);
  return short + ' '.repeat(columns - [...short].length);
}

function whole(value: number | null): string {
  return value === null ? '–' : Math.round(value).toLocaleString('en-US');
}

/** Speeds of users are small: one decimal below 100. */
function fine(value: number | null): string {
  return value === null || value >= 100 ? whole(value) : value.toFixed(1);
}

function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

function clockTime(seconds: number): string {
  const passed = Math.floor(seconds);
  return `${Math.floor(passed / 60)}:${String(passed % 60).padStart(2, '0')}`;
}
