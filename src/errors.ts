/**
 * Every error Pitot answers with itself, when there is no upstream answer to relay (CONTRACT §4).
 * The codes are public: they stand in `x-pitot-error`, in usage records and in the body of the answer.
 */
export const ERRORS = {
  PITOT_UPSTREAM_UNREACHABLE: {
    status: 502,
    message:
      'The upstream could not be reached: its name did not resolve, or no connection or no TLS session came about.',
  },
  PITOT_UPSTREAM_RESET: {
    status: 502,
    message: 'The upstream closed the connection, or sent no valid HTTP, before the head of an answer.',
  },
  PITOT_UPSTREAM_TIMEOUT: {
    status: 504,
    message: 'The upstream sent no head of an answer within the configured time.',
  },
  PITOT_NO_UPSTREAM: {
    status: 502,
    message: 'No configured upstream matches this request.',
  },
  PITOT_MODEL_UNKNOWN: {
    status: 400,
    message:
      'Upstreams are chosen by model here, and the request body is too large before it names one. Put `model` first.',
  },
  PITOT_OVERLOADED: {
    status: 503,
    message:
      'Upstreams are chosen by model here, and too many request bodies wait for theirs at once. Send the request again.',
  },
  PITOT_DRAINING: {
    status: 503,
    message: 'This gateway is shutting down. Send the request again.',
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;
