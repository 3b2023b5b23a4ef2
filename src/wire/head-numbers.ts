import { fromSeconds, unlessSilent } from './durations.ts';
import type { AnswerHead, ServerTimings } from './facts.ts';

/** Digits, and perhaps more behind a point. No sign, no exponent, no unit. */
const PLAIN_NUMBER = /^\d{1,15}(\.\d{1,15})?$/;

/** The number that a header holds; undefined where it is absent or holds anything else. */
export function headNumber(head: AnswerHead, name: string): number | undefined {
  const value = head.header(name)?.trim() ?? '';
  return PLAIN_NUMBER.test(value) ? Number(value) : undefined;
}

/**
 * What the headers of an unstreamed answer say of the server's own time (FORMATS §14); null where they
 * say nothing. A streamed answer's head was sent before its server could know.
 */
export function headTimings(head: AnswerHead): ServerTimings | null {
  const ms = (name: string) => headNumber(head, name) ?? null;
  const seconds = (name: string) => fromSeconds(headNumber(head, name));
  return unlessSilent({
    queue_ms: ms('x-queue-time'), // this and the next but one: TGI
    prefill_ms: seconds('fireworks-server-time-to-first-token'),
    decode_ms: ms('x-inference-time'),
    total_ms:
      ms('openai-processing-ms') ?? // OpenAI and Azure
      ms('x-total-time') ?? // TGI
      seconds('fireworks-server-processing-time'),
  });
}
