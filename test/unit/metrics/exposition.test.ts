import fc from 'fast-check';
import { Counter, Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { Format } from '../../../src/metrics/accept.ts';
import type { CounterEntry, GaugeEntry, HistogramEntry } from '../../../src/metrics/catalog/entry.ts';
import { render, SLICE_LINES } from '../../../src/metrics/exposition.ts';
import { MetricSet } from '../../../src/metrics/metric-set.ts';
import { rendered } from '../../helpers/recorder.ts';

const about = { addsUp: 'sum', unit: 'things', help: 'What it counts.' } as const;
const LABELS = ['model'] as const;
const COUNTER: CounterEntry<typeof LABELS> = { name: 'things_total', type: 'counter', labels: LABELS, ...about };
const GAUGE: GaugeEntry<typeof LABELS> = { name: 'things_now', type: 'gauge', labels: LABELS, ...about };
const HISTOGRAM: HistogramEntry<typeof LABELS> = {
  name: 'thing_seconds',
  type: 'histogram',
  labels: LABELS,
  buckets: [0.0005, 0.25, 1, 10],
  ...about,
};

const newSet = () =>
  new MetricSet({ targets: { ttft: [], tpot: [], speed: [], gap: [], e2e: [] }, onRefused: () => {} });

const lines = (text: string) => text.split('\n').filter((line) => line !== '');
const samples = (text: string) => lines(text).filter((line) => !line.startsWith('#'));

async function joined(slices: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const slice of slices) text += slice;
  return text;
}

/** What stands for a label value in the exposition, undone by the rules of the format. */
function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_all, character: string) => (character === 'n' ? '\n' : character));
}

describe('the exposition', () => {
  it('is, line by line, what prom-client writes of its own metrics with the same values', async () => {
    const set = newSet();
    const counter = set.counter(COUNTER);
    const histogram = set.histogram(HISTOGRAM);
    const registry = new Registry();
    const registers = [registry];
    const theirCounter = new Counter({ name: COUNTER.name, help: COUNTER.help, labelNames: LABELS, registers });
    const theirHistogram = new Histogram({
      name: HISTOGRAM.name,
      help: HISTOGRAM.help,
      labelNames: LABELS,
      buckets: [...HISTOGRAM.buckets],
      registers,
    });
    for (const model of ['plain', 'quote " back \\ line \n end', 'ünï 🌍', 'CR \r tab \t', '{a="b"}']) {
      for (const value of [0, 0.0005, 0.3, 1, 7.25, 1e9]) {
        counter.add(counter.row([model]), value);
        histogram.observe(histogram.row([model]), value);
        theirCounter.inc({ model }, value);
        theirHistogram.observe({ model }, value);
      }
    }
    expect(lines(await rendered(set))).toEqual(lines(await registry.metrics()));
  });

  it('gives back every label value by the rules of the format, in one line', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 }),
        async (models) => {
          const set = newSet();
          const counter = set.counter(COUNTER);
          for (const model of models) counter.row([model]);
          const found = samples(await rendered(set)).map((line) => /^things_total\{model="(.*)"\} 0$/s.exec(line)?.[1]);
          expect(found.map((text) => unescaped(text ?? 'no such line'))).toEqual(models);
        },
      ),
    );
  });

  it('as OpenMetrics names counters by their family, writes bounds as floats and ends with EOF', async () => {
    const set = newSet();
    const counter = set.counter(COUNTER);
    counter.add(counter.row(['m']), 3);
    const histogram = set.histogram(HISTOGRAM);
    histogram.observe(histogram.row(['m']), 0.5);
    set.live(GAUGE, (emit) => emit(['m'], 1.5));
    expect(await rendered(set, 'openmetrics')).toBe(
      [
        '# HELP things What it counts.',
        '# TYPE things counter',
        'things_total{model="m"} 3',
        '# HELP thing_seconds What it counts.',
        '# TYPE thing_seconds histogram',
        'thing_seconds_bucket{le="0.0005",model="m"} 0',
        'thing_seconds_bucket{le="0.25",model="m"} 0',
        'thing_seconds_bucket{le="1.0",model="m"} 1',
        'thing_seconds_bucket{le="10.0",model="m"} 1',
        'thing_seconds_bucket{le="+Inf",model="m"} 1',
        'thing_seconds_sum{model="m"} 0.5',
        'thing_seconds_count{model="m"} 1',
        '# HELP things_now What it counts.',
        '# TYPE things_now gauge',
        'things_now{model="m"} 1.5',
        '# EOF',
        '',
      ].join('\n'),
    );
  });

  it('can be asked for in both formats in turn: the one does not spoil the names of the other', async () => {
    const set = newSet();
    set.counter(COUNTER).row(['m']);
    const text = await rendered(set);
    await rendered(set, 'openmetrics');
    expect(await rendered(set)).toBe(text);
  });

  it('names a metric without series, so that a reader learns of it', async () => {
    const set = newSet();
    set.counter(COUNTER);
    expect(lines(await rendered(set))).toEqual(['# HELP things_total What it counts.', '# TYPE things_total counter']);
  });

  it('leaves a live number out that is unknown or not finite', async () => {
    const set = newSet();
    set.live(GAUGE, (emit) => {
      emit(['known'], 0);
      for (const value of [null, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) emit(['not'], value);
    });
    expect(samples(await rendered(set))).toEqual(['things_now{model="known"} 0']);
  });

  it('joins live numbers of the same labels as replicas are joined', async () => {
    const set = newSet();
    set.live(GAUGE, (emit) => {
      emit(['m'], 2);
      emit(['m'], 3);
    });
    set.live({ ...GAUGE, name: 'thing_max', addsUp: 'max' }, (emit) => {
      emit(['m'], 3);
      emit(['m'], 2);
    });
    expect(samples(await rendered(set))).toEqual(['things_now{model="m"} 5', 'thing_max{model="m"} 3']);
  });
});

describe('rendering in slices', () => {
  /** Families of random sizes, some empty, some far larger than a slice. */
  const sizes = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 1_200 })), { minLength: 1, maxLength: 6 });

  function setOf(families: readonly (readonly [boolean, number])[]): MetricSet {
    const set = newSet();
    for (const [index, [isHistogram, rows]] of families.entries()) {
      const family = isHistogram
        ? set.histogram({ ...HISTOGRAM, name: `family_${index}` })
        : set.counter({ ...COUNTER, name: `family_${index}_total` });
      for (let row = 0; row < rows; row += 1) family.row([`m${row}`]);
    }
    return set;
  }

  async function slicesOf(set: MetricSet, format: Format) {
    const events: string[] = [];
    const slices: string[] = [];
    const pause = async () => {
      events.push('pause');
    };
    for await (const slice of render(await set.collect(), { format, pause })) {
      events.push('slice');
      slices.push(slice);
    }
    return { events, slices };
  }

  it('bounds the lines of a slice, yields between each two, and loses, doubles and reorders nothing', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async (families) => {
        const { events, slices } = await slicesOf(setOf(families), 'text');
        for (const slice of slices) expect(samples(slice).length).toBeLessThanOrEqual(SLICE_LINES);
        expect(events.join(' ')).toBe(slices.map(() => 'slice').join(' pause '));
        const perRow = HISTOGRAM.buckets.length + 3;
        const expected = families.flatMap(([isHistogram, rows], index) => {
          const name = isHistogram ? `family_${index}` : `family_${index}_total`;
          const models = Array.from({ length: rows }, (_, row) =>
            Array(isHistogram ? perRow : 1).fill(`${name} m${row}`),
          );
          return [`# HELP ${name}`, `# TYPE ${name}`, ...models.flat()];
        });
        const found = lines(slices.join('')).map((line) =>
          line
            .replace(/^(# \w+ \S+) .*$/, '$1')
            .replace(/^(family_\d+(?:_total)?)(?:_bucket|_sum|_count)?\{(?:le="[^"]*",)?model="(m\d+)"\} 0$/, '$1 $2'),
        );
        expect(found).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  it('gives the event loop a turn between two slices', async () => {
    const set = setOf([[false, 5 * SLICE_LINES]]);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const families = await set.collect();
    const before = turns;
    let slices = 0;
    for await (const _slice of render(families, { format: 'text' })) slices += 1;
    isDone = true;
    expect(slices).toBe(5);
    expect(turns - before).toBeGreaterThanOrEqual(slices - 1);
  });

  it('tells of one moment, also in slices that are written later, and scrapes do not meet', async () => {
    const set = newSet();
    const counter = set.counter(COUNTER);
    for (let row = 0; row < 3 * SLICE_LINES; row += 1) counter.row([`m${row}`]);
    const addToAll = async () => {
      for (let row = 0; row < 3 * SLICE_LINES; row += 1) counter.add(row, 1);
    };
    const first = render(await set.collect(), { format: 'text', pause: addToAll });
    const second = render(await set.collect(), { format: 'openmetrics', pause: addToAll });
    const [texts, openMetrics] = await Promise.all([joined(first), joined(second)]);
    for (const text of [texts, openMetrics]) {
      expect(new Set(samples(text).map((line) => line.split(' ').at(-1)))).toEqual(new Set(['0']));
      expect(samples(text)).toHaveLength(3 * SLICE_LINES);
    }
  });
});
