/** Why a stream ended, or never began. */
export type Failure =
  /** Nothing came: no network, no gateway, or a silence that was too long. */
  | { kind: 'unreachable' }
  /** The stream ended as a stream may. */
  | { kind: 'ended' }
  /** A token is wanted, or another one than was given. */
  | { kind: 'unauthorised' }
  /** Any other answer, with the gateway's own sentence; `retryAfterMs` where it asks for time. */
  | { kind: 'refused'; sentence: string; retryAfterMs: number | null };

/** What the page knows of its connection to the gateway. */
export type Connection =
  | { kind: 'connecting' }
  | { kind: 'live' }
  /** Trying again at `retryAtMs` (of the page's clock); `sentence` where the gateway said why. */
  | { kind: 'lost'; attempt: number; retryAtMs: number; sentence: string | null }
  /** `wasRefused`: there was a token, and the gateway does not take it. */
  | { kind: 'sign_in'; wasRefused: boolean };

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;

/** Half a second, doubled with every failure in a row, eight seconds at most: a restart is noticed soon, and nobody is beaten on. */
export function delayMs(attempt: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.max(0, attempt - 1));
}

export interface Moment {
  nowMs: number;
  hadToken: boolean;
}

/** The state after a failure; a stream that was live begins to count attempts anew. */
export function afterFailure(before: Connection, failure: Failure, { nowMs, hadToken }: Moment): Connection {
  if (failure.kind === 'unauthorised') return { kind: 'sign_in', wasRefused: hadToken };
  const attempt = (before.kind === 'lost' ? before.attempt : 0) + 1;
  const wantedMs = failure.kind === 'refused' ? (failure.retryAfterMs ?? 0) : 0;
  return {
    kind: 'lost',
    attempt,
    retryAtMs: nowMs + Math.max(delayMs(attempt), Math.min(wantedMs, LONGEST_DELAY_MS * 4)),
    sentence: failure.kind === 'refused' ? failure.sentence : null,
  };
}

/** For the status line, in words. */
export function connectionSentence(connection: Connection, nowMs: number): string {
  switch (connection.kind) {
    case 'connecting':
      return 'Connecting';
    case 'live':
      return 'Live';
    case 'sign_in':
      return 'Signed out';
    case 'lost': {
      const why = connection.sentence === null ? 'Connection lost' : sentenceOf(connection.sentence);
      const seconds = Math.ceil((connection.retryAtMs - nowMs) / 1_000);
      return seconds > 1 ? `${why}, trying again in ${seconds} s` : `${why}, trying again`;
    }
    default:
      return connection satisfies never;
  }
}

function sentenceOf(text: string): string {
  const bare = text.replace(/[.\s]+$/, '');
  return bare.charAt(0).toUpperCase() + bare.slice(1);
}
