import { unescape as decoded } from 'node:querystring';

/** One sentence on why there is no plan; exit code 1. */
export class PlanFault extends Error {}

const TIMEOUT_MS = 60_000;

export interface Source {
  /** How the user calls it. */
  flag: '--admin' | '--prometheus';
  /** Without a slash at its end. */
  base: string;
  headers: Record<string, string>;
}

/** A base URL as given on the command line, `http://` left out or not. Null for what is none. A name and password in it become basic authorization. */
export function sourceOf(flag: Source['flag'], given: string): Source | null {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.search !== '' || url.hash !== '') return null;
  const { username, password } = url;
  // Leaves a % as it is that begins no escape: passwords have them.
  const secret = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  return {
    flag,
    base: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    headers: username === '' && password === '' ? {} : { authorization: `Basic ${secret}` },
  };
}

/** The JSON that a GET answers with. Rejects with a PlanFault. */
export async function fetchJson(source: Source, pathAndQuery: string): Promise<unknown> {
  const { isOk, status, text } = await ask(source, pathAndQuery);
  const body = parsed(text);
  if (isOk && body !== undefined) return body;
  throw new PlanFault(`${source.flag} ${source.base}: ${whyNot(source, status, body)}`);
}

/** The whole answer: what breaks off or comes too slowly is not one that says something else. */
async function ask({ flag, base, headers }: Source, pathAndQuery: string) {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(base + pathAndQuery, { headers, redirect: 'follow', signal });
    return { isOk: answer.ok, status: answer.status, text: await answer.text() };
  } catch (error) {
    throw new PlanFault(`${flag} ${base}: cannot be reached (${reasonOf(error)})`);
  }
}

function whyNot({ flag, headers }: Source, status: number, body: unknown): string {
  const what = flag === '--admin' ? "Pitot's admin port" : 'a Prometheus';
  if (status === 401 || status === 403) {
    const isGiven = headers['authorization'] !== undefined;
    if (flag === '--admin')
      return isGiven ? 'refuses the token in PITOT_ADMIN_TOKEN' : 'wants a token: set PITOT_ADMIN_TOKEN';
    return isGiven
      ? 'refuses the name and password in the URL'
      : 'wants a name and password: put them into the URL, http://NAME:PASSWORD@HOST';
  }
  const said = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
  if (typeof said === 'string' && status !== 404) return said;
  return `expected ${what}, got something else (HTTP status ${status})`;
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`;
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.message;
}
