/** What the system says when a port cannot be opened, and what to do about it. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there already; end it or choose another port with --listen or --admin',
  EACCES: 'this user may not open that port; choose one above 1023',
  EADDRNOTAVAIL: 'no network interface of this machine has that address',
  ENOTFOUND: 'that host name does not resolve to an address of this machine',
};

/** One sentence for a port that could not be opened; null when the error is about something else. */
export function listenFault(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  const reason = REASONS[error.code];
  if (reason === undefined) return null;
  const host = 'address' in error ? error.address : 'hostname' in error ? error.hostname : null;
  const place = 'port' in error ? `${host}:${error.port}` : `${host}`;
  return `cannot listen on ${place}: ${reason}`;
}
