import { LabelGuard, OTHER } from '../ledger/label-guard.ts';
import type { FinishedRequest } from '../meter/finished.ts';
import { USERS } from './catalog/users.ts';
import type { MetricSet } from './metric-set.ts';
import { seconds } from './recording.ts';

/** Stands for requests without identity. */
const UNKNOWN_USER = 'unknown';

export interface UserRecording {
  finished(finished: FinishedRequest): void;
  /** Sets how many users get a label value. Those that have one keep it. */
  limit(maxUsers: number): void;
}

/** What each user asked for and got. */
export function recordUsers(set: MetricSet, options: { maxUsers: number; onOverflow: () => void }): UserRecording {
  const requests = set.counter(USERS.userRequests);
  const inputTokens = set.counter(USERS.userInputTokens);
  const outputTokens = set.counter(USERS.userOutputTokens);
  const decodeSeconds = set.counter(USERS.userDecodeSeconds);
  const admitted = new Set<string>();
  let guard = guardOf(options.maxUsers);

  function guardOf(maxUsers: number): LabelGuard {
    const room = Math.max(0, maxUsers - admitted.size);
    return new LabelGuard({ max: room, always: [UNKNOWN_USER, ...admitted], onOverflow: options.onOverflow });
  }

  return {
    finished({ record, user }) {
      const label = user === null ? UNKNOWN_USER : guard.admit(user);
      if (label !== UNKNOWN_USER && label !== OTHER) admitted.add(label);
      requests.add(requests.row([label]), 1);
      inputTokens.add(inputTokens.row([label]), record.input_tokens ?? 0);
      outputTokens.add(outputTokens.row([label]), record.output_tokens ?? 0);
      decodeSeconds.add(decodeSeconds.row([label]), seconds(record.decode_ms ?? 0));
    },
    limit(maxUsers) {
      guard = guardOf(maxUsers);
    },
  };
}
