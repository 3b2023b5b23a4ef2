import type { Clock } from '../clock.ts';
import { GATEWAY } from './catalog/gateway.ts';
import { EventLoopLag } from './event-loop-lag.ts';
import type { MetricSet } from './metric-set.ts';
import { seconds, secondsOrNull } from './recording.ts';

export interface RelayRecording {
  /** How long a relayed chunk was in our hands. On the path of every chunk: a known row, nothing looked up. */
  relayDelay(ms: number): void;
  /** Ends the sampling of the event loop. */
  stop(): void;
}

/** What a relaying process adds to what it relays. */
export function recordRelay(set: MetricSet, clock: Clock): RelayRecording {
  const relayDelay = set.histogram(GATEWAY.relayDelay);
  const row = relayDelay.row([]);
  const lag = new EventLoopLag(clock);
  lag.start();
  set.live(GATEWAY.eventLoopLagP99, (emit) => emit([], secondsOrNull(lag.p99Ms(clock.nowMs()))));
  return {
    relayDelay: (ms) => relayDelay.observe(row, seconds(ms)),
    stop: () => lag.stop(),
  };
}
