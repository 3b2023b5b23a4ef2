import type { StatusWord } from '../../live/snapshot-type.ts';
import type { UpstreamState } from '../../live/upstream-snapshot.ts';

/** Each is of another form (dom/state-icon.ts). */
export type IconName = 'flow' | 'idle' | 'full' | 'low' | 'down' | 'drain' | 'wait';

/** `good` and `rest` want no attention; `warn` wants some, `bad` wants it now. */
export type Tone = 'good' | 'rest' | 'warn' | 'bad';

export interface StateFace {
  word: string;
  icon: IconName;
  tone: Tone;
}

export const STATUS_FACES: Readonly<Record<StatusWord, StateFace>> = {
  flowing: { word: 'Flowing', icon: 'flow', tone: 'good' },
  idle: { word: 'Idle', icon: 'idle', tone: 'rest' },
  saturated: { word: 'Saturated', icon: 'full', tone: 'warn' },
  below_floor: { word: 'Under its floor', icon: 'low', tone: 'bad' },
  upstream_down: { word: 'Upstream down', icon: 'down', tone: 'bad' },
  draining: { word: 'Draining', icon: 'drain', tone: 'warn' },
};

export const UPSTREAM_FACES: Readonly<Record<UpstreamState, StateFace>> = {
  flowing: STATUS_FACES.flowing,
  idle: STATUS_FACES.idle,
  saturated: STATUS_FACES.saturated,
  below_floor: STATUS_FACES.below_floor,
  down: { ...STATUS_FACES.upstream_down, word: 'Down' },
};
