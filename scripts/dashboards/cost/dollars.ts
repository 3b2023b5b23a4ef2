import { CAPACITY } from '../../../src/metrics/catalog/capacity.ts';
import { TOKENS } from '../../../src/metrics/catalog/tokens.ts';
import { UPSTREAMS } from '../../../src/metrics/catalog/upstreams.ts';
import { configured, increase, max, rate, sum, type Window } from '../promql.ts';

const UPSTREAM = ['upstream'] as const;
/** A GPU costs the same whichever of its models and workloads are selected. */
const EVERY = { unfiltered: ['model', 'workload'] } as const;
const UPSTREAM_ONLY = { unfiltered: ['model'] } as const;

/** Dollars for the GPUs of each upstream over the range. Every replica counts the same GPUs: so max, never sum. */
export const GPU_DOLLARS = max(increase(CAPACITY.gpuCost), UPSTREAM);

/** Dollars per second of each upstream. */
export const GPU_DOLLARS_PER_SECOND = max(rate(CAPACITY.gpuCost), UPSTREAM);

/** Dollars an hour as configured, busy or not. */
export const GPU_DOLLARS_PER_HOUR = `${configured(UPSTREAMS.upstreamGpus)} * on (upstream) ${configured(CAPACITY.gpuPrice)}`;

/** Dollars for GPUs while no request was in flight, by upstream: what they cost less what their busy time cost. */
export const IDLE_DOLLARS = `clamp_min(${GPU_DOLLARS} - on (upstream) ${max(increase(UPSTREAMS.upstreamBusySeconds), UPSTREAM)} * on (upstream) (${GPU_DOLLARS_PER_HOUR}) / 3600, 0)`;

/** Output tokens of an upstream, all models: what its dollars bought. */
function upstreamTokens(window: Window): string {
  return sum(increase(TOKENS.outputTokens, { ...EVERY, window }), UPSTREAM);
}

/** Tokens of upstreams whose cost is known, over the range: free ones must not make the others look cheap. */
export const PAID_TOKENS = sum(`${upstreamTokens('$__range')} and on (upstream) ${GPU_DOLLARS}`);

/** Dollars that the same tokens would have cost at the reference price. */
export const REFERENCE_DOLLARS = sum(increase(CAPACITY.referenceCost, UPSTREAM_ONLY));
