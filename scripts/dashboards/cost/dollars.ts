import { CAPACITY } from '../../../src/metrics/catalog/capacity.ts';
import { TOKENS } from '../../../src/metrics/catalog/tokens.ts';
import { UPSTREAMS } from '../../../src/metrics/catalog/upstreams.ts';
import { BUSY_SHARE } from '../capacity.ts';
import { configured, increase, max, overRange, rate, sum, type Window } from '../promql.ts';

const UPSTREAM = ['upstream'] as const;
/** A GPU costs the same whichever of its models and workloads are selected. */
const EVERY = { unfiltered: ['model', 'workload'] } as const;
const UPSTREAM_ONLY = { unfiltered: ['model'] } as const;

/** Dollars per second of each upstream. Every replica counts the same GPUs: so max, never sum. */
export const GPU_DOLLARS_PER_SECOND = max(rate(CAPACITY.gpuCost), UPSTREAM);

/** Dollars for the GPUs of each upstream over the range. */
export const GPU_DOLLARS = overRange(GPU_DOLLARS_PER_SECOND);

/** Dollars an hour as configured, busy or not. */
export const GPU_DOLLARS_PER_HOUR = `${configured(UPSTREAMS.upstreamGpus)} * on (upstream) ${configured(CAPACITY.gpuPrice)}`;

/** Dollars an hour while no request is in flight, by upstream. */
export const IDLE_DOLLARS_PER_HOUR = `clamp_min(1 - ${BUSY_SHARE}, 0) * on (upstream) (${GPU_DOLLARS_PER_HOUR})`;

/** Dollars for GPUs while no request was in flight, over the range. */
export const IDLE_DOLLARS = `${overRange(IDLE_DOLLARS_PER_HOUR)} / 3600`;

/** Output tokens of an upstream, all models: what its dollars bought. */
function upstreamTokens(window: Window): string {
  return sum(increase(TOKENS.outputTokens, { ...EVERY, window }), UPSTREAM);
}

/** Tokens of upstreams whose cost is known, over the range: free ones must not make the others look cheap. */
export const PAID_TOKENS = sum(`${upstreamTokens('$__range')} and on (upstream) (${GPU_DOLLARS})`);

/** Dollars that the same tokens would have cost at the reference price. */
export const REFERENCE_DOLLARS = sum(increase(CAPACITY.referenceCost, UPSTREAM_ONLY));
