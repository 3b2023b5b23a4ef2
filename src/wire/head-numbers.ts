import { fireworksTimings, plainNumber, unlessSilent } from './durations.ts';
import type { AnswerHead, ServerTimings } from './facts.ts';

/** The number that a header holds; undefined where it is absent or holds anything else. */
export function headNumber(head: AnswerHead, name: string): number | undefined {
  return plainNumber(head.header(name) ?? '');
}

/**
 * What the headers of an unstreamed answer say of the server's own time (FORMATS §14); null where they
 * say nothing. A streamed answer's head was sent before its server could know.
 */
export function headTimings(head: AnswerHead): ServerTimings | null {
  const ms = (name: string) => headNumber(head, name) ?? null;
  const fireworks = fireworksTimings((name) => head.header(`fireworks-${name}`) ?? undefined);
  if (fireworks !== null) return fireworks;
  return unlessSilent({
    queue_ms: ms('x-queue-time'), // this and the next: TGI
    prefill_ms: null,
    decode_ms: ms('x-inference-time'),
    total_ms: ms('openai-processing-ms') ?? ms('x-total-time'), // OpenAI and Azure; TGI
  });
}
