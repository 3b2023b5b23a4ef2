import type { Outcome, Slo } from './record.ts';

/** The SLOs that have a target of their own; `all` is what they add up to. */
export const TARGETED_SLOS = ['ttft', 'tpot', 'speed', 'gap', 'e2e'] as const satisfies readonly Slo[];
export type TargetedSlo = (typeof TARGETED_SLOS)[number];

/** What a request is to keep: milliseconds at most, `speed` in tokens per second at least. Null: no target. */
export type SloTargets = Readonly<Record<TargetedSlo, number | null>>;

/** What is known of a request at its end, as far as its verdicts rest on it. */
export interface Evidence {
  outcome: Outcome;
  /** The code sent to the client, 499 if it left before any. */
  status: number;
  /** What the request asked for; null: nobody knows, its body was not read. */
  asksForStream: boolean | null;
  /** What the upstream sent; null: it sent no head. */
  isStreamed: boolean | null;
  /** An answer came that could not be read, so nobody knows what it held. */
  isUnread: boolean;
  hasToken: boolean;
  /** From `t_body` to the end; null where the body was never complete. */
  waitedMs: number | null;
  slowClient: boolean;
  ttftMs: number | null;
  tpotMs: number | null;
  speed: number | null;
  longestGapMs: number | null;
  e2eMs: number;
}

export interface Judgement {
  /** The SLOs it was judged on, `all` as the conjunction of the others. */
  readonly verdicts: Readonly<Partial<Record<Slo, boolean>>>;
  /** What the client did not wait for; with `all` where nothing else was judged. */
  readonly undecided: readonly Slo[];
}

/** Null: this SLO says nothing of the request. */
type Verdict = boolean | 'undecided' | null;

const NOT_JUDGED: Judgement = Object.freeze({ verdicts: Object.freeze({}), undecided: Object.freeze([]) });
const TOO_MANY_REQUESTS = 429;
const CLIENT_LEFT = 499;

/** Ways to end that are no answer, and so bad for every SLO, however soon they came. */
const IS_FAILURE: Readonly<Record<Outcome, boolean>> = {
  complete: false,
  client_aborted: false,
  error_in_stream: true,
  truncated: true,
  upstream_error: true,
  upstream_reset: true,
  upstream_timeout: true,
  upstream_unreachable: true,
  rejected: true,
  gateway_shutdown: true,
};

/** The verdicts on a request that has ended (CONTRACT §6.9, §6.10). Null targets: it has none. */
export function judge(seen: Evidence, targets: SloTargets | null): Judgement {
  if (targets === null || seen.slowClient || isFaultOfClient(seen)) return NOT_JUDGED;
  const hasFailed = IS_FAILURE[seen.outcome] || seen.status >= 500 || seen.status === TOO_MANY_REQUESTS;
  const isStreamed = countsAsStreamed(seen, hasFailed);
  const verdicts: Partial<Record<Slo, boolean>> = {};
  const undecided: Slo[] = [];
  for (const slo of TARGETED_SLOS) {
    const target = targets[slo];
    if (target === null || (slo !== 'e2e' && !isStreamed)) continue;
    const verdict = hasFailed ? false : VERDICT_ON[slo](seen, target);
    if (verdict === 'undecided') undecided.push(slo);
    else if (verdict !== null) verdicts[slo] = verdict;
  }
  const judged = Object.values(verdicts);
  if (judged.length > 0) verdicts.all = judged.every((isGood) => isGood);
  else if (undecided.length > 0) undecided.push('all');
  return Object.freeze({ verdicts: Object.freeze(verdicts), undecided: Object.freeze(undecided) });
}

/** 4xx other than 429: what was asked for could not be answered. A client that left before any code was sent is none of them. */
function isFaultOfClient({ status, outcome }: Evidence): boolean {
  if (status < 400 || status >= 500 || status === TOO_MANY_REQUESTS) return false;
  return !(status === CLIENT_LEFT && outcome === 'client_aborted');
}

/** Errors are never streamed, so there the request decides; else what came. What nobody knows may have been a stream. */
function countsAsStreamed({ isStreamed, asksForStream }: Evidence, hasFailed: boolean): boolean {
  const asks = asksForStream ?? true;
  return hasFailed ? asks || isStreamed === true : (isStreamed ?? asks);
}

/** For requests that did not fail: they are complete, or their client left. */
const VERDICT_ON: Readonly<Record<TargetedSlo, (seen: Evidence, target: number) => Verdict>> = {
  ttft: firstTokenInTime,
  tpot: ({ tpotMs }, target) => (tpotMs === null ? null : tpotMs <= target),
  speed: ({ speed }, target) => (speed === null ? null : speed >= target),
  gap: ({ longestGapMs }, target) => (longestGapMs === null ? null : longestGapMs <= target),
  e2e: ({ outcome, e2eMs }, target) => (outcome === 'complete' ? e2eMs <= target : 'undecided'),
};

function firstTokenInTime(seen: Evidence, targetMs: number): Verdict {
  if (seen.ttftMs !== null) return seen.ttftMs <= targetMs;
  // A token that came before the request was complete has no TTFT.
  if (seen.hasToken || seen.isUnread) return null;
  const isKnownStream = seen.isStreamed ?? seen.asksForStream ?? false;
  if (isKnownStream && seen.waitedMs !== null && seen.waitedMs > targetMs) return false;
  return seen.outcome === 'complete' ? null : 'undecided';
}
