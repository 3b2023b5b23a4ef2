import { describe, expect, it } from 'vitest';
import { openScreen, type ScreenEnvironment } from '../../../src/demo/screen.ts';
import { EngineRate, MinuteHistory } from '../../../src/demo/view.ts';
import { EXAMPLE_VIEW } from '../../helpers/demo-view.ts';

function recorded(terminal: { isTTY: boolean; rows?: number }, environment: ScreenEnvironment = {}) {
  const written: string[] = [];
  const screen = openScreen({ ...terminal, columns: 80, write: (text) => written.push(text) }, environment);
  return { screen, written };
}

const BOLD = '\u001b[1m';

describe('the screen', () => {
  it('writes nothing but JSON lines where standard output is no terminal', () => {
    for (const { screen, written } of [recorded({ isTTY: false }), recorded({ isTTY: true }, { TERM: 'dumb' })]) {
      screen.show(EXAMPLE_VIEW);
      screen.close();
      expect(written).toHaveLength(1);
      expect(written[0]?.endsWith('\n')).toBe(true);
      expect(JSON.parse(written[0] ?? '')).toMatchObject({
        msg: 'demo',
        simulation: true,
        requests_total: 12_345,
        throughput: { tokens_per_second: { '10s': 1234.4 } },
      });
    }
  });

  it('redraws in place on a terminal and gives it back with the last frame', () => {
    const { screen, written } = recorded({ isTTY: true, rows: 40 });
    screen.show(EXAMPLE_VIEW);
    screen.show(EXAMPLE_VIEW);
    screen.close();
    screen.close();
    expect(written).toHaveLength(3);
    expect(written[0]).toContain('\u001b[?1049h');
    expect(written[1]?.startsWith('\u001b[H')).toBe(true);
    expect(written[2]).toContain('\u001b[?25h\u001b[?1049l');
  });

  it('never writes more lines than the terminal has', () => {
    const { screen, written } = recorded({ isTTY: true, rows: 10 });
    screen.show(EXAMPLE_VIEW);
    expect(written[0]?.split('\n')).toHaveLength(10);
  });

  it('has colours unless NO_COLOR is set to anything', () => {
    const shownWith = (environment: ScreenEnvironment) => {
      const { screen, written } = recorded({ isTTY: true, rows: 40 }, environment);
      screen.show(EXAMPLE_VIEW);
      return written.join('');
    };
    expect(shownWith({})).toContain(BOLD);
    expect(shownWith({ NO_COLOR: '' })).toContain(BOLD);
    expect(shownWith({ NO_COLOR: '1' })).not.toContain(BOLD);
  });
});

describe('what the screen remembers', () => {
  it('is the last minute, blank before the start', () => {
    const history = new MinuteHistory();
    for (let second = 0; second < 61; second += 1) {
      expect(history.values().throughput).toHaveLength(60);
      history.add(EXAMPLE_VIEW.snapshot);
      expect(history.values().throughput[0]).toBe(second < 59 ? null : 951);
    }
    expect(history.values().userSpeed.at(-1)).toBe(40.16);
  });

  it('knows the rate of the engine once its readings span a minute, by the time that really passed', () => {
    const rate = new EngineRate();
    for (let reading = 0; reading < 60; reading += 1) {
      rate.add(reading * 1_010, reading * 500);
      expect(rate.tokensPerSecond()).toBeNull();
    }
    rate.add(60 * 1_010, 60 * 500);
    expect(rate.tokensPerSecond()).toBeCloseTo(500 / 1.01);
    rate.add(61 * 1_010, 60 * 500);
    expect(rate.tokensPerSecond()).toBeCloseTo((59 * 500) / (60 * 1.01));
  });
});
