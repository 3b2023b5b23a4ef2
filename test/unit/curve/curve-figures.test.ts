import { describe, expect, it } from 'vitest';
import { CurveFigures } from '../../../src/curve/curve-figures.ts';
import { Curves } from '../../../src/curve/curves.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { configOf } from '../../helpers/recorder.ts';

const YAML = `upstreams: [ { name: a, url: "http://127.0.0.1:1" }, { name: b, url: "http://127.0.0.1:2" } ]
workloads: [ { name: chat, slo: { ttft: 2s } } ]`;

/** Counts how often the curves were asked for. */
class AskedCurves extends Curves {
  asked = 0;

  override configured() {
    this.asked += 1;
    return super.configured();
  }
}

function newFigures() {
  const clock = new ManualClock();
  const config = configOf(YAML);
  const curves = new AskedCurves(clock, config.upstreams);
  return { clock, curves, config, figures: new CurveFigures(clock, curves, config.workloads) };
}

describe('curves in short', () => {
  it('say nothing where nothing was observed, nor of an upstream that is not there', () => {
    const { figures } = newFigures();
    for (const name of ['a', 'b', 'gone']) expect(figures.of(name)).toEqual({ saturation: null, maxUnderSlo: [] });
  });

  it('are worked out once for all upstreams, and again when something was learned, configured or has faded', () => {
    const { figures, curves, clock, config } = newFigures();
    const asked = () => {
      figures.of('a');
      figures.of('b');
      return curves.asked;
    };
    expect(asked()).toBe(1);
    clock.advance(5_000);
    expect(asked()).toBe(1);
    curves.learned += 1;
    expect(asked()).toBe(2);
    figures.configure(config.workloads);
    expect(asked()).toBe(3);
    clock.advance(10_000);
    expect(asked()).toBe(4);
  });
});
