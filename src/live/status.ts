import type { Snapshot, StatusWord } from './snapshot-type.ts';
import type { UpstreamSnapshot, UpstreamState } from './upstream-snapshot.ts';

/** What the status is told from. */
export interface Situation {
  isDraining: boolean;
  upstreams: readonly UpstreamSnapshot[];
  in_flight: Snapshot['in_flight'];
  /** Over the last 10 s. */
  tokensPerSecond: number;
}

export interface Status {
  status: StatusWord;
  status_text: string;
}

/** As many names as a sentence can hold. */
const MOST_NAMES = 3;

/** How it goes, by the worst that is true, in a word and in a sentence. */
export function statusOf(situation: Situation): Status {
  const { isDraining, upstreams } = situation;
  if (isDraining) return { status: 'draining', status_text: draining(situation) };
  const inState = (state: UpstreamState) => upstreams.filter((one) => one.state === state);
  const down = inState('down');
  if (down.length > 0) return { status: 'upstream_down', status_text: isDown(down, upstreams.length) };
  const [below, ...alsoBelow] = inState('below_floor');
  if (below !== undefined)
    return { status: 'below_floor', status_text: belowFloor(below) + others(alsoBelow, 'below its floor') };
  const [saturated, ...alsoSaturated] = inState('saturated');
  if (saturated !== undefined)
    return { status: 'saturated', status_text: isSaturated(saturated) + others(alsoSaturated, 'saturated') };
  if (generationsOf(situation) > 0 || upstreams.some((one) => one.in_flight > 0))
    return { status: 'flowing', status_text: flowing(situation) };
  return { status: 'idle', status_text: 'No traffic: no request is in flight.' };
}

function draining(situation: Situation): string {
  const running = generationsOf(situation);
  const rest = running === 0 ? 'nothing is in flight any more' : `${generations(running)} may still finish`;
  return `The gateway is shutting down: ${rest}.`;
}

function isDown(down: readonly UpstreamSnapshot[], of: number): string {
  if (of === 1) return `Upstream ${names(down)} is down: the last attempt to reach it failed.`;
  const verb = down.length === 1 ? 'is' : 'are';
  return `${down.length} of ${of} upstreams ${verb} down: the last attempt to reach ${names(down)} failed.`;
}

function belowFloor({ name, floor }: UpstreamSnapshot): string {
  const wanted = floor?.output_tokens_per_second ?? 0;
  const share = floor?.share ?? 0;
  return `Upstream ${name} gives ${percent(share)} of its floor: ${figure(share * wanted)} of ${figure(wanted)} tokens per second over the last minute, with enough demand for all of it.`;
}

function isSaturated({ name, concurrency, saturation_concurrency: enough }: UpstreamSnapshot): string {
  return `Upstream ${name} is saturated: ${figure(concurrency.total)} generations at once, where ${figure(enough ?? 0)} bring as much throughput.`;
}

function flowing(situation: Situation): string {
  const running = generationsOf(situation);
  if (running === 0) return 'Requests are in flight, none of them a generation.';
  return `${generations(running)} in flight, ${figure(situation.tokensPerSecond)} tokens per second.`;
}

function others(also: readonly UpstreamSnapshot[], what: string): string {
  return also.length === 0 ? '' : ` Also ${what}: ${names(also)}.`;
}

function names(upstreams: readonly UpstreamSnapshot[]): string {
  const shown = upstreams.slice(0, MOST_NAMES).map(({ name }) => name);
  const more = upstreams.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}

function generationsOf({ in_flight: { prefill, decode, unstreamed } }: Situation): number {
  return prefill + decode + unstreamed;
}

function generations(count: number): string {
  return count === 1 ? '1 generation' : `${figure(count)} generations`;
}

/** Four digits say all that is known of a rate; small ones keep a decimal. */
function figure(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 1 : 0 });
}

/** Rounded down: what is just below its floor is not at 100 %. */
function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}
