/** Fields that speak of one connection and are never forwarded (RFC 9110 §7.6.1). */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** The further fields that a Connection header names, in lower case; null when it names none. */
export function connectionOptions(connection: string | undefined): ReadonlySet<string> | null {
  if (connection === undefined) return null;
  const lower = connection.toLowerCase();
  if (lower === 'keep-alive' || lower === 'close') return null;
  return new Set(lower.split(',').map((option) => option.trim()));
}
