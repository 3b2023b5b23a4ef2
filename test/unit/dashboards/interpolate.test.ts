import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interpolate, rateIntervalSeconds, stepSeconds } from '../../../scripts/dashboards/interpolate.ts';

const AT = { stepSeconds: 15, scrapeSeconds: 5, rangeSeconds: 3_600, chosen: { job: { all: '.*' }, user: ['ada'] } };

describe('the variables of a query', () => {
  it('are replaced by what is chosen, braced or not, and the windows by seconds', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's own braces
    const rate = 'rate(x{job=~"$job",user=~"${user}"}[$__rate_interval]) / $__range_s';
    const expr = `${rate} + sum_over_time(y[$__range:$__interval]) * $__interval_ms`;
    expect(interpolate(expr, AT)).toBe(
      'rate(x{job=~".*",user=~"ada"}[20s]) / 3600 + sum_over_time(y[3600s:15s]) * 15000',
    );
  });

  it('of several values become alternatives, each taken literally', () => {
    const chosen = { model: ['llama-3.1', 'qwen(2)'] };
    expect(interpolate('{model=~"$model"}', { ...AT, chosen })).toBe('{model=~"(llama-3\\\\.1|qwen\\\\(2\\\\))"}');
  });

  it('that nobody chose are an error, not a filter that matches nothing', () => {
    expect(() => interpolate('{pod=~"$pod"}', AT)).toThrow('no value for the variable $pod');
  });

  it('are whole names: $user is not the beginning of $users', () => {
    expect(() => interpolate('$users', AT)).toThrow(RangeError);
  });

  it('match the value itself whatever stands in it', () => {
    const printable = fc.string({ minLength: 1, unit: fc.constantFrom(...'aZ0.-_/:@ +*?()[]{}|^$\\') });
    fc.assert(
      fc.property(printable, (value) => {
        const text = interpolate('$user', { ...AT, chosen: { user: [value] } });
        // Prometheus takes one level of escapes away as a string, and anchors the expression.
        const pattern = text.replaceAll('\\\\', '\\');
        expect(new RegExp(`^(?:${pattern})$`).test(value)).toBe(true);
        expect(new RegExp(`^(?:${pattern})$`).test(`${value}x`)).toBe(false);
      }),
    );
  });
});

describe('the step', () => {
  it('has a point for each pixel, and is no shorter than a scrape or than the panel wants', () => {
    const request = { rangeSeconds: 3_600, points: 1_000, scrapeSeconds: 1, leastSeconds: 0 };
    expect(stepSeconds(request)).toBe(4);
    expect(stepSeconds({ ...request, scrapeSeconds: 15 })).toBe(15);
    expect(stepSeconds({ ...request, leastSeconds: 30 })).toBe(30);
  });

  it('gives rates a window of four scrapes at least, and never a gap between two windows', () => {
    expect(rateIntervalSeconds(1, 5)).toBe(20);
    expect(rateIntervalSeconds(60, 5)).toBe(65);
  });
});
