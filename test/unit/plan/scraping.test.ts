import { describe, expect, it } from 'vitest';
import type { Series } from '../../../src/plan/prometheus-api.ts';
import { scrapingOf } from '../../../src/plan/scraping.ts';
import { WholeSteps } from '../../../src/plan/whole-steps.ts';

const HOUR = 3_600;

interface Target {
  labels: Record<string, string>;
  everySeconds: number;
  fromSeconds?: number;
  toSeconds?: number;
}

function scraped({ labels, everySeconds, fromSeconds = 0, toSeconds = 6 * HOUR }: Target): Series {
  const samples = Math.floor((toSeconds - fromSeconds) / everySeconds);
  const points = Array.from({ length: samples }, (_, index) => ({
    atSeconds: fromSeconds + index * everySeconds,
    value: 1,
  }));
  return { labels: { __name__: 'pitot_build_info', version: '1', commit: 'c', node: 'v20', ...labels }, points };
}

const asked = (...targets: Target[]) => scrapingOf({ query: async () => targets.map(scraped), range: async () => [] });
const a = { job: 'pitot', instance: 'a:9464' };
const b = { job: 'pitot', instance: 'b:9464' };

describe('steps of recorded counters', () => {
  it('are long enough for the Pitot that is scraped least often, or its tokens would be missing in silence', async () => {
    expect(await asked({ labels: a, everySeconds: 15 })).toMatchObject({ stepSeconds: 60 });
    const mixed = await asked({ labels: a, everySeconds: 5 }, { labels: b, everySeconds: 60 });
    expect(mixed).toMatchObject({ stepSeconds: 240 });
  });

  it('are not lengthened by one that was there for moments', async () => {
    const brief = { labels: b, everySeconds: 600, toSeconds: 1_800 };
    expect(await asked({ labels: a, everySeconds: 15 }, brief)).toMatchObject({ stepSeconds: 60 });
    expect(await asked(brief)).toMatchObject({ stepSeconds: 2_400 });
  });
});

describe('labels that the scraper adds', () => {
  it('are those of a gauge that has none of them by itself', async () => {
    const { targetLabels } = await asked({ labels: { ...a, pod: 'pitot-0', namespace: 'llm' }, everySeconds: 15 });
    expect([...targetLabels].sort()).toEqual(['instance', 'job', 'namespace', 'pod']);
  });
});

describe('one Pitot that two jobs scrape', () => {
  const other = { ...a, job: 'kubernetes-pods', pod: 'pitot-0' };

  it('is said: every sum has its tokens twice', async () => {
    const { notes } = await asked({ labels: a, everySeconds: 15 }, { labels: other, everySeconds: 15 });
    expect(notes).toEqual([expect.stringContaining('a:9464 is scraped by two jobs, kubernetes-pods and pitot')]);
  });

  it.each([
    { what: 'two addresses', labels: b },
    { what: 'two clusters', labels: { ...other, cluster: 'east' }, more: { cluster: 'west' } },
    { what: 'one after the other', labels: other, toSeconds: HOUR, fromSeconds: 2 * HOUR },
  ])('is not meant by $what', async ({ labels, more = {}, toSeconds = 6 * HOUR, fromSeconds = 0 }) => {
    const one = { labels: { ...a, ...more }, everySeconds: 15, toSeconds };
    expect((await asked(one, { labels, everySeconds: 15, fromSeconds })).notes).toEqual([]);
  });
});

describe('a step is whole', () => {
  const STEP = 60;
  const steps = { startSeconds: STEP, endSeconds: 6 * HOUR, stepSeconds: STEP };

  /** The minutes out of `candidates` that are whole, where a Pitot had so many samples in each minute; null: none. */
  async function wholeOf(candidates: readonly number[], ...pitots: ((minute: number) => number | null)[]) {
    const whole = new WholeSteps(STEP);
    const range = async () =>
      pitots.map((at, index) => ({
        labels: { upstream: 'u', instance: `${index}` },
        points: Array.from({ length: (6 * HOUR) / STEP }, (_, minute) => ({
          atSeconds: (minute + 1) * STEP,
          value: at(minute + 1),
        })).flatMap(({ atSeconds, value }) => (value === null ? [] : [{ atSeconds, value }])),
      }));
    await whole.ask({ query: async () => [], range }, steps);
    return candidates.filter((minute) => whole.has('u', minute * STEP));
  }

  it('where every Pitot that ran was scraped as often as usual', async () => {
    const lost = new Map([
      [10, 2],
      [11, null],
      [12, null],
      [13, 3],
    ]);
    const gappy = (minute: number) => (lost.has(minute) ? (lost.get(minute) ?? null) : 4);
    expect(await wholeOf([9, 10, 11, 12, 13, 14], () => 4, gappy)).toEqual([9, 14]);
  });

  it('with a sample more on its edge, or one of many missing', async () => {
    expect(await wholeOf([10, 11], (minute) => (minute % 2 === 0 ? 4 : 5))).toEqual([10, 11]);
    expect(await wholeOf([10, 11], (minute) => (minute === 10 ? 57 : 60))).toEqual([10, 11]);
    expect(await wholeOf([10, 11], (minute) => (minute === 10 ? 40 : 60))).toEqual([11]);
  });

  it('without those that had ended, had not begun, or were away for hours', async () => {
    const away = (minute: number) => (minute > 30 && minute < 200 ? null : 4);
    expect(await wholeOf([30, 31, 100, 199, 200], () => 4, away)).toEqual([30, 31, 100, 199, 200]);
    expect(
      await wholeOf(
        [5, 300],
        () => 4,
        (minute) => (minute > 20 && minute < 50 ? 4 : null),
      ),
    ).toEqual([5, 300]);
  });

  it('whatever befell the Pitots of another upstream', async () => {
    const whole = new WholeSteps(STEP);
    const counts = [4, 4, 1, 4, 4];
    const points = counts.map((value, index) => ({ atSeconds: (index + 1) * STEP, value }));
    await whole.ask({ query: async () => [], range: async () => [{ labels: { upstream: 'other' }, points }] }, steps);
    expect(whole.has('other', 3 * STEP)).toBe(false);
    expect(whole.has('u', 3 * STEP)).toBe(true);
  });
});
