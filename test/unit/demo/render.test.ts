import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigText, sparkline } from '../../../src/demo/glyphs.ts';
import { COLOUR_INK, PLAIN_INK, render } from '../../../src/demo/render.ts';
import { EMPTY_VIEW, EXAMPLE_VIEW } from '../../helpers/demo-view.ts';

const trimmed = (frame: string) => frame.replace(/ +$/gm, '');

describe('a frame of the demo', () => {
  it('shows the two figures, what they depend on, and where to look further', () => {
    expect(`\n${trimmed(render(EXAMPLE_VIEW, 80))}\n`).toMatchInlineSnapshot(`
      "
       pitot demo   SIMULATION: embedded engine, no real model      1:23, Ctrl-C ends

       SYSTEM THROUGHPUT                       PER-USER SPEED
       ▀█    ▀▀█ ▀▀█ █ █                       █ █ █▀█   ▀▀█
        █    █▀▀  ▀█ ▀▀█                       ▀▀█ █ █   █▀▀
       ▀▀▀ ▞ ▀▀▀ ▀▀▀   ▀                         ▀ ▀▀▀ ▀ ▀▀▀
       tokens/s over 10 s, 23 in flight        tokens/s p50, one in ten below 31.2

             ▃▄▄▄▅▅▅▆▆▇▇▇██ 60 s, max 1,160          ███▇▇▇▇▇▆▆▆▆▆▅ 60 s, max 100

       TTFT       p50 84 ms · p95 1.23 s
       in flight  prefill 3 · decode 18 · unstreamed 2
       load       24 wanted at once, walking 1 → 32 → 1
       requests   12,345 done
       upstream   demo-engine up
       last 60 s  812 tokens/s measured · 815 by the engine's own count
       conditions simulated engine: 24 slots
                  chat: 60–2,000 tokens in, 40–400 out, streamed

       data port  http://127.0.0.1:8080/v1
       metrics    http://127.0.0.1:9464/metrics
      "
    `);
  });

  it('shows a dash where nothing was measured, never a 0', () => {
    expect(`\n${trimmed(render(EMPTY_VIEW, 80))}\n`).toMatchInlineSnapshot(`
      "
       pitot demo   SIMULATION: embedded engine, no real model      1:23, Ctrl-C ends

       SYSTEM THROUGHPUT                       PER-USER SPEED

       ▀▀▀                                     ▀▀▀

       tokens/s over 10 s, 0 in flight         tokens/s p50, one in ten below –

                            60 s, max –                             60 s, max –

       TTFT       –
       in flight  prefill 0 · decode 0 · unstreamed 0
       load       24 wanted at once, walking 1 → 32 → 1
       requests   0 done
       upstream   demo-engine not asked yet
       last 60 s  – tokens/s measured · – by the engine's own count
       conditions simulated engine: 24 slots
                  chat: 60–2,000 tokens in, 40–400 out, streamed

       data port  http://127.0.0.1:8080/v1
       metrics    http://127.0.0.1:9464/metrics
      "
    `);
  });

  it('says at every width that it is a simulation', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), (width) => {
        expect(render(EXAMPLE_VIEW, width)).toContain('SIMULATION: embedded engine, no real model');
      }),
    );
  });

  it('has no line wider than the terminal', () => {
    fc.assert(
      fc.property(fc.integer({ min: 46, max: 300 }), fc.constantFrom(EXAMPLE_VIEW, EMPTY_VIEW), (width, view) => {
        for (const line of render(view, width).split('\n')) expect([...line].length).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('fits the usual terminal of 80 columns and 24 rows', () => {
    const view = {
      ...EXAMPLE_VIEW,
      conditions: ['one', 'two', 'three'],
      urls: [...EXAMPLE_VIEW.urls, { label: 'live page', url: 'http://127.0.0.1:9464/' }],
    };
    expect(render(view, 80).split('\n').length).toBeLessThanOrEqual(24);
  });

  it('says the same in colour', () => {
    const coloured = render(EXAMPLE_VIEW, 80, COLOUR_INK);
    expect(coloured).toContain('\u001b[');
    expect(stripVTControlCharacters(coloured)).toBe(render(EXAMPLE_VIEW, 80, PLAIN_INK));
  });
});

describe('a big number', () => {
  it('has three lines of one width, whatever the number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_999_999 }), (value) => {
        const lines = bigText(value.toLocaleString('en-US'));
        expect(new Set(lines.map((line) => line.length)).size).toBe(1);
      }),
    );
  });

  it('draws no two digits alike', () => {
    expect(new Set([...'0123456789'].map((digit) => bigText(digit).join('\n'))).size).toBe(10);
  });
});

describe('a sparkline', () => {
  it('spans all values in at most the given width', () => {
    const values = fc.array(fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })), { maxLength: 120 });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 80 }), (history, width) => {
        const { bars, highest } = sparkline(history, width);
        expect(bars.length).toBeLessThanOrEqual(width);
        expect(highest === null).toBe(history.every((value) => value === null));
      }),
    );
  });

  it('is blank where nothing was measured, flat where nothing flowed, full at the highest', () => {
    expect(sparkline([null, 0, 50, 100], 4)).toEqual({ bars: ' ▁▅█', highest: 100 });
    expect(sparkline([0, 0], 4)).toEqual({ bars: '▁▁', highest: 0 });
    expect(sparkline([], 4)).toEqual({ bars: '', highest: null });
  });

  it('joins values into bars by their mean, the latest bar whole', () => {
    expect(sparkline([10, 20, 40, null, 80], 3)).toEqual({ bars: '▂▄█', highest: 80 });
  });
});
