import type { IncomingHttpHeaders } from 'node:http';

/** Fields that hold a digest of the body, or a signature over one (RFC 9530, RFC 1864, RFC 9421, AWS SigV4). */
const DIGESTS = [
  'content-digest',
  'repr-digest',
  'digest',
  'content-md5',
  'x-amz-content-sha256',
  'signature',
] as const;

/** The body cannot be changed unnoticed: a server that checks would refuse what its client wrote right. */
export function isSigned(headers: IncomingHttpHeaders): boolean {
  return DIGESTS.some((name) => headers[name] !== undefined) || /^AWS4-/i.test(headers.authorization ?? '');
}
