/** A client whose socket was full for more than this share of the decode time spoils speeds (CONTRACT §6.10). */
const SLOW_CLIENT_SHARE = 0.05;

/** The request says nothing of the engine's speed: its client read slowly. `decodeMs` is null where nothing was streamed. */
export function isSlowClient(clientBlockedMs: number, decodeMs: number | null): boolean {
  return decodeMs !== null && clientBlockedMs > SLOW_CLIENT_SHARE * decodeMs;
}
