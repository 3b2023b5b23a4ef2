import { CAPACITY } from '../../src/metrics/catalog/capacity.ts';
import { REQUESTS } from '../../src/metrics/catalog/requests.ts';
import { TOKENS } from '../../src/metrics/catalog/tokens.ts';
import { configured, over, rate, sum } from './promql.ts';

/** A floor and its demand are of an upstream, over all its models and workloads. */
const EVERY = { unfiltered: ['model', 'workload'] } as const;

/** Output tokens per second by upstream, whatever model and workload are selected. */
export const UPSTREAM_THROUGHPUT = sum(rate(TOKENS.outputTokens, EVERY), ['upstream']);

/** Mean concurrency by upstream, all phases. */
export const UPSTREAM_CONCURRENCY = sum(rate(REQUESTS.requestPhaseSeconds, EVERY), ['upstream']);

/** Upstreams with the concurrency from which their floor counts. */
const DEMAND = `on (upstream) (${UPSTREAM_CONCURRENCY} >= on (upstream) ${configured(CAPACITY.floorConcurrency)})`;

const SHARE = over(UPSTREAM_THROUGHPUT, configured(CAPACITY.floorThroughput), ['upstream']);

/** Throughput ÷ floor by upstream, only where there is demand. */
export const FLOOR_SHARE = `${SHARE} and ${DEMAND}`;

/** 1 where an upstream with demand is below its floor, 0 where it keeps it; absent without demand. */
export const IS_BELOW_FLOOR = `(${UPSTREAM_THROUGHPUT} < bool on (upstream) ${configured(CAPACITY.floorThroughput)}) and ${DEMAND}`;
