import type { FinishedRequest } from '../meter/finished.ts';
import type { Interval } from './window.ts';

/** When a finished generation was where, in monotonic milliseconds, and what it came to. */
export interface RequestSpan {
  /** The engine had it: its body was received, and it had not ended. */
  served: Interval;
  firstTokenMs: number | null;
  /** First to last token; null where nothing was streamed. */
  decode: Interval | null;
  /** `uncounted`: answered, but nobody knows its tokens. `fruitless`: there was no output. */
  worth: 'counted' | 'uncounted' | 'fruitless';
}

export function spanOf({ record, endMs }: FinishedRequest): RequestSpan {
  const bodyMs = endMs - record.e2e_ms + (record.upload_ms ?? 0);
  const firstTokenMs = record.ttft_ms === null ? null : bodyMs + record.ttft_ms;
  const decode =
    firstTokenMs === null || record.decode_ms === null
      ? null
      : { fromMs: firstTokenMs, toMs: firstTokenMs + record.decode_ms };
  return { served: { fromMs: Math.min(bodyMs, endMs), toMs: endMs }, firstTokenMs, decode, worth: worthOf(record) };
}

function worthOf({
  usage_source: source,
  outcome,
  output_tokens: output,
}: FinishedRequest['record']): RequestSpan['worth'] {
  if (source === 'none' && outcome === 'complete') return 'uncounted';
  return (output ?? 0) > 0 ? 'counted' : 'fruitless';
}
