/** What the load client does through a contestant. */
export type Plan = StreamPlan | CallPlan;

export interface StreamPlan {
  readonly kind: 'streams';
  readonly streams: number;
  /** Events of each stream. */
  readonly perSecond: number;
  /** Length of an answer; the first one of each stream is shorter, so that not all end together. */
  readonly eventsPerAnswer: number;
  /** Spread over the period, or all streams at one moment, as the steps of an engine emit them. */
  readonly moments: 'spread' | 'together';
}

/** Whole requests and whole answers, on a schedule: no contestant is asked more because it is faster. */
export interface CallPlan {
  readonly kind: 'calls';
  readonly clients: number;
  /** Calls of each client. */
  readonly perSecond: number;
  readonly bodyBytes: number;
}

export function usersOf(plan: Plan): number {
  return plan.kind === 'streams' ? plan.streams : plan.clients;
}

/** Events, or calls, of all users. */
export function duePerSecond(plan: Plan): number {
  return usersOf(plan) * plan.perSecond;
}
