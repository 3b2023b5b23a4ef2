import { type Clock, systemClock } from '../clock.ts';
import type { Snapshot } from '../live/snapshot-type.ts';
import { type DemoConfig, type DemoPorts, demoConditions, demoConfig } from './demo-config.ts';
import { type DemoEngine, startDemoEngine } from './engine-server.ts';
import { Load } from './load.ts';
import { openScreen, type Screen, type ScreenEnvironment, type ScreenOutput } from './screen.ts';
import { type DemoView, EngineRate, MinuteHistory } from './view.ts';

/** A running gateway, as far as the demo needs one. */
export interface DemoGateway {
  /** HOST:PORT, as really bound. */
  readonly listen: string;
  readonly admin: string;
  snapshot(): Snapshot;
  /** Ends the gateway; resolves when its ports are free. */
  close(): Promise<void>;
}

export interface DemoOptions extends DemoPorts {
  /** Ends by itself after so many seconds; null: when it is stopped. */
  forSeconds: number | null;
  /** Resolves when the ports are open and the `listening` line is written. Rejects when a port is taken. */
  startGateway(config: DemoConfig): Promise<DemoGateway>;
  /** Ends the demo, on a signal to the process say. */
  stop: AbortSignal;
  output: ScreenOutput;
  environment: ScreenEnvironment;
  seed?: number;
  clock?: Clock;
}

const TICK_MS = 1_000;

/**
 * `pitot demo`: a simulated engine, the gateway in front of it, a load that walks up and down in
 * concurrency, and a view of what the gateway measures. Resolves with the exit code when it was
 * stopped and everything is closed; rejects when something could not be started (and closes the rest).
 */
export async function runDemo(options: DemoOptions): Promise<number> {
  const { seed = 1, clock = systemClock } = options;
  const engine = await startDemoEngine({ seed, clock });
  try {
    const gateway = await options.startGateway(demoConfig(engine.url, options));
    try {
      await watch({ options, clock, engine, gateway, seed });
    } finally {
      await gateway.close();
    }
  } finally {
    await engine.close();
  }
  return 0;
}

interface Running {
  options: DemoOptions;
  clock: Clock;
  engine: DemoEngine;
  gateway: DemoGateway;
  seed: number;
}

async function watch(running: Running): Promise<void> {
  const { options, clock, gateway, seed } = running;
  const screen = openScreen(options.output, options.environment);
  const load = new Load({ url: `http://${reachable(gateway.listen)}`, seed: seed + 1, clock });
  // A process that is ended hard (a second signal) must not leave the terminal on its second screen.
  const giveBack = () => screen.close();
  process.once('exit', giveBack);
  const timer = setInterval(viewer(running, load, screen), TICK_MS);
  try {
    await stopped(options.stop, options.forSeconds);
  } finally {
    clearInterval(timer);
    await load.stop();
    screen.close();
    process.off('exit', giveBack);
  }
}

/** What happens each second: the figures are read, and shown when the screen is due. */
function viewer({ options, clock, engine, gateway }: Running, load: Load, screen: Screen): () => void {
  const history = new MinuteHistory();
  const engineRate = new EngineRate();
  const startedMs = clock.nowMs();
  const conditions = demoConditions(engine.profile);
  let ticks = 0;
  return () => {
    const nowMs = clock.nowMs();
    const snapshot = gateway.snapshot();
    history.add(snapshot);
    engineRate.add(nowMs, engine.truth().generatedTokens);
    ticks += 1;
    if ((ticks * TICK_MS) % screen.everyMs !== 0) return;
    const view: DemoView = {
      snapshot,
      history: history.values(),
      wantedConcurrency: load.wanted(),
      engineTokensPerSecond: engineRate.tokensPerSecond(),
      elapsedSeconds: (nowMs - startedMs) / 1_000,
      forSeconds: options.forSeconds,
      conditions,
      urls: urlsOf(gateway),
    };
    screen.show(view);
  };
}

function urlsOf(gateway: DemoGateway): DemoView['urls'] {
  const admin = `http://${reachable(gateway.admin)}`;
  return [
    { label: 'data port', url: `http://${reachable(gateway.listen)}/v1` },
    { label: 'metrics', url: `${admin}/metrics` },
    { label: 'live page', url: `${admin}/` },
  ];
}

/** A wildcard address is where one listens, not where one connects. */
function reachable(address: string): string {
  return address.replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:');
}

/** Resolves when the signal fires or the seconds have passed. */
function stopped(stop: AbortSignal, forSeconds: number | null): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) {
      resolve();
      return;
    }
    const timer = forSeconds === null ? null : setTimeout(end, forSeconds * 1_000);
    function end(): void {
      if (timer !== null) clearTimeout(timer);
      stop.removeEventListener('abort', end);
      resolve();
    }
    stop.addEventListener('abort', end);
  });
}
