import type { Outcome } from './record.ts';

/** How the transport of a request ended, as the gateway saw it. */
export interface Ending {
  kind:
    | 'upstream_end'
    | 'client_left'
    | 'upstream_reset'
    | 'upstream_timeout'
    | 'upstream_unreachable'
    | 'rejected'
    | 'gateway_shutdown';
  /** The code sent to the client; 499 if it left before any. */
  status: number;
  /** The gateway's own error code (`PITOT_…`), null when an upstream answer was relayed. */
  error: string | null;
}

/** What the answer's reader saw. */
export interface AnswerEvidence {
  /** A reader understood the answer; else HTTP framing is all there is to go by. */
  read: boolean;
  /** The dialect's terminal marker was seen, or the one body could be read to its end. */
  complete: boolean;
  /** The upstream reported a failure inside the answer. */
  failed: boolean;
}

/** One outcome from how the transport ended and what the answer said (CONTRACT §6.7). */
export function outcomeOf(ending: Ending, answer: AnswerEvidence): Outcome {
  switch (ending.kind) {
    case 'upstream_end':
      return ending.status >= 400 ? 'upstream_error' : endOfAnswer(answer);
    case 'client_left':
      if (ending.status < 400 && answer.read && answer.complete) return endOfAnswer(answer);
      return 'client_aborted';
    case 'upstream_reset':
    case 'upstream_timeout':
    case 'upstream_unreachable':
    case 'rejected':
    case 'gateway_shutdown':
      return ending.kind;
    default:
      return ending.kind satisfies never;
  }
}

function endOfAnswer(answer: AnswerEvidence): Outcome {
  if (answer.failed) return 'error_in_stream';
  return answer.read && !answer.complete ? 'truncated' : 'complete';
}
