import { isIP } from 'node:net';

/** Addresses to listen on (HOST:PORT) and the base URLs of upstreams, read textually. */

export interface Address {
  /** Without brackets: `::1`, not `[::1]`. */
  host: string;
  /** 0 lets the operating system choose. */
  port: number;
}

const HOST_NAME = /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]{0,62})([.][A-Za-z0-9_]([A-Za-z0-9_-]{0,62}))*$/;

/** `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`; null for anything else. A host is required: `0.0.0.0` says "everywhere". */
export function parseAddress(text: string): Address | null {
  const found = /^(?:\[([^[\]]+)\]|([^[\]:]+)):([0-9]{1,5})$/.exec(text);
  if (found === null) return null;
  const [, bracketed, plain = '', digits] = found;
  const port = Number(digits);
  if (port > 65_535) return null;
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? { host: bracketed, port } : null;
  return isHost(plain) ? { host: plain, port } : null;
}

/** Digits and dots only must be an IPv4 address: `10.0.0.300` is a slip of the pen, not a name. */
function isHost(text: string): boolean {
  return /^[0-9.]+$/.test(text) ? isIP(text) === 4 : HOST_NAME.test(text);
}

/** True for addresses that only this machine can reach. A name other than `localhost` is not trusted to be one. */
export function isLoopback(host: string): boolean {
  const lower = host.toLowerCase();
  return lower === 'localhost' || lower === '::1' || /^(::ffff:)?127([.][0-9]+){3}$/.test(lower);
}

export interface BaseUrl {
  /** `http://10.0.0.5:8000`, as undici takes it: lower case, without a default port. */
  origin: string;
  /** Put before every request target, textually: `/v1`, or empty. Never ends in the slash with which a target begins. */
  prefix: string;
}

const BASE_URL = /^(https?:\/\/(?:\[([^\]/]*)\]|([^/:@?#[\]]+))(?::[0-9]{1,5})?)(\/[!-~]*)?$/i;

/** An http or https URL without credentials, query and fragment; null for anything else. */
export function parseBaseUrl(text: string): BaseUrl | null {
  const [, origin, bracketed, plain = '', path = ''] = BASE_URL.exec(text) ?? [];
  if (origin === undefined || !URL.canParse(origin) || /[?#]/.test(path)) return null;
  const isGoodHost = bracketed === undefined ? isHost(plain) : isIP(bracketed) === 6;
  return isGoodHost ? { origin: new URL(origin).origin, prefix: path.endsWith('/') ? path.slice(0, -1) : path } : null;
}
