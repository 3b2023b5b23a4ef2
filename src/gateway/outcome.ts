import type { ErrorCode } from '../errors.ts';
import type { Ending } from '../meter/outcome.ts';

/** A request to the upstream that failed, in the terms of CONTRACT §4 and §6.7. */
export interface Failure {
  kind: Extract<Ending['kind'], 'upstream_unreachable' | 'upstream_reset' | 'upstream_timeout'>;
  code: ErrorCode;
  /** What the operating system or the transport called it (`ECONNREFUSED`); null when it has no name. */
  reason: string | null;
}

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** `reached`: the request had a connection. Before that, whatever goes wrong, the upstream was not reached. */
export function failureOf(error: unknown, reached: boolean): Failure {
  const reason = codeOf(error);
  if (!reached) return { kind: 'upstream_unreachable', code: 'PITOT_UPSTREAM_UNREACHABLE', reason };
  if (reason !== null && TIMEOUTS.has(reason)) {
    return { kind: 'upstream_timeout', code: 'PITOT_UPSTREAM_TIMEOUT', reason };
  }
  return { kind: 'upstream_reset', code: 'PITOT_UPSTREAM_RESET', reason };
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code }: NodeJS.ErrnoException = error;
  return typeof code === 'string' ? code : null;
}
