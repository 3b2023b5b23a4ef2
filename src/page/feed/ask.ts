import type { Failure } from './connection.ts';
import type { AdminToken } from './token.ts';

export type Answer<Body> = { kind: 'answer'; body: Body } | { kind: 'failure'; failure: Failure };

/** Every path is relative to the page, which may stand behind a prefix. Answers are of one moment, so none is kept. */
export async function open(path: string, token: AdminToken, init: RequestInit = {}): Promise<Response> {
  const headers = { ...token.headers(), ...init.headers };
  return await fetch(path, { ...init, headers, cache: 'no-store', credentials: 'omit', redirect: 'error' });
}

/** One JSON answer. Its shape is what the same build of the gateway writes, so it is taken at its word. */
export async function ask<Body>(path: string, token: AdminToken): Promise<Answer<Body>> {
  try {
    const response = await open(path, token);
    if (!response.ok) return { kind: 'failure', failure: await failureOf(response) };
    return { kind: 'answer', body: (await response.json()) as Body };
  } catch {
    return { kind: 'failure', failure: { kind: 'unreachable' } };
  }
}

export async function failureOf(response: Response): Promise<Failure> {
  if (response.status === 401) return { kind: 'unauthorised' };
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return {
    kind: 'refused',
    sentence: (await errorIn(response)) ?? `the gateway answered ${response.status}`,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : null,
  };
}

/** The gateway's own sentence, `{"error": sentence}`. */
async function errorIn(response: Response): Promise<string | null> {
  try {
    const body: unknown = await response.json();
    const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
    return typeof error === 'string' ? error : null;
  } catch {
    return null;
  }
}
