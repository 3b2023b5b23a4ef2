/**
 * The `id` of an event of `/api/stream`: which process and which reading of the wall clock its points belong to, and
 * the last second it tells of. Whoever comes back with it gets what came after, if it is of the same kind.
 */
export interface EventId {
  origin: string;
  second: number;
}

export function formatEventId({ origin, second }: EventId): string {
  return `${origin}.${second}`;
}

/** Null for what is no such id. */
export function parseEventId(text: string | null): EventId | null {
  const [, origin, second] = /^([0-9a-z-]{1,40})\.([0-9]{1,12})$/.exec(text ?? '') ?? [];
  return origin === undefined || second === undefined ? null : { origin, second: Number(second) };
}
