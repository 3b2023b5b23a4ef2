import { setTimeout as wait } from 'node:timers/promises';
import type { Child } from '../children.ts';
import { listening, pitot, serveArguments } from '../contestants/pitot.ts';
import { ask } from '../conversation.ts';
import type { Site } from '../site.ts';
import { median, percentile } from '../statistics.ts';
import type { BenchCase, CaseResult, Figure } from './case.ts';
import { LABEL_SET_CONFIGURATION, LABEL_SETS, labelSetsIn, makeLabelSets } from './label-sets.ts';

const SCRAPES = 30;
/** Scrapes of each format before those that count: they make the code warm. */
const WARMING = 2;
const FORMATS = { text: 'text/plain', openmetrics: 'application/openmetrics-text; version=1.0.0' };
/** A loop at rest: what the machine and the probe add by themselves. */
const REST = 'nothing';
const REST_MS = 50;

interface Spec {
  readonly name: string;
  readonly title: string;
}

interface Scrape {
  readonly scraped: string;
  readonly longestTurnMs: number;
  readonly bytes: number;
}

/** How long a scrape holds up the relays: the longest turn of the event loop while it is answered. */
export function scrape(spec: Spec): BenchCase {
  return {
    name: spec.name,
    title: spec.title,
    run: async (site) => {
      const { scrapes, labelSets } = await measure(site);
      const contestants = [{ name: pitot.name, about: pitot.about(site) }];
      return { contestants, ...resultOf(scrapes, labelSets) };
    },
  };
}

async function measure(site: Site): Promise<{ scrapes: Scrape[]; labelSets: number }> {
  const args = serveArguments(site, { name: 'pitot-scraped', metering: 'full', more: LABEL_SET_CONFIGURATION });
  const probe = new URL('../loop-probe.mjs', import.meta.url);
  const child = site.children.fork('pitot-scraped', site.pitot, { args, execArgv: ['--import', probe.href] });
  const { data, admin } = await listening(child);
  site.say('making label sets');
  await makeLabelSets(data);
  site.say('scraping');
  const scrapes: Scrape[] = [];
  let text = '';
  for (let index = -WARMING; index < SCRAPES; index += 1) {
    for (const [scraped, accept] of Object.entries(FORMATS)) {
      const longestTurnMs = await longestTurn(child, async () => {
        text = await (await fetch(`http://${admin.host}:${admin.port}/metrics`, { headers: { accept } })).text();
      });
      if (index >= 0) scrapes.push({ scraped, longestTurnMs, bytes: Buffer.byteLength(text) });
    }
    const longestTurnMs = await longestTurn(child, () => wait(REST_MS));
    if (index >= 0) scrapes.push({ scraped: REST, longestTurnMs, bytes: 0 });
  }
  await site.children.stop(child);
  return { scrapes, labelSets: labelSetsIn(text) };
}

async function longestTurn(child: Child, during: () => Promise<unknown>): Promise<number> {
  await ask(child, { kind: 'begin' }, 5_000);
  await during();
  return (await ask<object, { longestMs: number }>(child, { kind: 'end' }, 5_000)).longestMs;
}

function resultOf(scrapes: Scrape[], labelSets: number): Omit<CaseResult, 'contestants'> {
  const rows = [REST, ...Object.keys(FORMATS)].map((name) => {
    const own = scrapes.filter(({ scraped }) => scraped === name);
    const rising = own.map(({ longestTurnMs }) => longestTurnMs).sort((a, b) => a - b);
    return { name, values: [median(rising), percentile(rising, 1), (own[0]?.bytes ?? 0) / 1000] };
  });
  const columns = [
    { title: 'longest turn, median', unit: 'ms', digits: 2 },
    { title: 'worst', unit: 'ms', digits: 2 },
    { title: 'size', unit: 'kB', digits: 0 },
  ];
  const scraped = scrapes.filter((one) => one.scraped !== REST);
  const figure: Figure = {
    goal: 'scrape-turn',
    where: `worst of ${scraped.length}`,
    // Of fewer sets it would be another figure.
    value: labelSets < LABEL_SETS ? null : Math.max(...scraped.map(({ longestTurnMs }) => longestTurnMs)),
    range: null,
  };
  return {
    table: { columns, rows },
    figures: [figure],
    notes: [`/metrics held ${labelSets} label sets of ${LABEL_SETS}.`],
    measurements: scrapes,
  };
}
