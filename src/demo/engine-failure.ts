import type { Refusal } from './engine-request.ts';

/** The request header that orders a failure, for tests of whatever stands in front of the engine. */
export const FAILURE_HEADER = 'x-demo-fail';

/**
 * - `status:N` — answers with this HTTP status and an error body, without generating.
 * - `reset` — breaks the connection before any answer.
 * - `hang` — takes the request and never answers.
 * - `cut:N` — breaks the connection once N tokens were sent.
 * - `truncate:N` — ends the stream cleanly once N tokens were sent, without finish reason, usage or `[DONE]`.
 * - `error:N` — sends an error event once N tokens were sent, then `[DONE]`, as vLLM does.
 *
 * The last three concern streams, and an N below the answer's length; an unstreamed request
 * answers `cut` with a broken connection and the other two with 500.
 */
export type OrderedFailure =
  | { kind: 'status'; status: number }
  | { kind: 'reset' }
  | { kind: 'hang' }
  | { kind: 'cut' | 'truncate' | 'error'; afterTokens: number };

export type FailureOrder = { kind: 'none' } | { kind: 'failure'; failure: OrderedFailure } | { kind: 'unknown' };

export function readFailureOrder(header: string | string[] | undefined): FailureOrder {
  if (header === undefined) return { kind: 'none' };
  const match = /^([a-z]+)(?::(\d{1,6}))?$/.exec(String(header).trim());
  const number = match?.[2] === undefined ? null : Number(match[2]);
  const failure = failureOf(match?.[1] ?? '', number);
  return failure === null ? { kind: 'unknown' } : { kind: 'failure', failure };
}

function failureOf(kind: string, number: number | null): OrderedFailure | null {
  switch (kind) {
    case 'status':
      return number !== null && number >= 400 && number <= 599 ? { kind, status: number } : null;
    case 'reset':
    case 'hang':
      return number === null ? { kind } : null;
    case 'cut':
    case 'truncate':
    case 'error':
      return { kind, afterTokens: number ?? 0 };
    default:
      return null;
  }
}

/** The error that an ordered failure reports where it reports one. */
export function orderedError(status: number): Refusal {
  return { status, type: 'SimulatedFailure', message: `a failure that the request ordered by ${FAILURE_HEADER}` };
}
