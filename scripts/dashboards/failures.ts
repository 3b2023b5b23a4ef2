/**
 * Requests that failed through no choice of the client: neither complete nor left by it, and not an
 * answer like 400 or 404, which the engine gives to a wrong request. 429 is a failure: it says that
 * there was no capacity. The same line as that of SLO verdicts (CONTRACT §6.9).
 */
export const FAILED = ['outcome!~"complete|client_aborted"', 'status!~"4([013-9].|2[0-8])"'] as const;
