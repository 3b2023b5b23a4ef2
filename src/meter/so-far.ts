import type { Api, ServerTimings, UsageSnapshot } from '../wire/facts.ts';
import type { AnswerMeter } from './answer-meter.ts';
import { OutputTiming, type TimingSoFar } from './timing.ts';
import { UsageMerge } from './usage.ts';

/** What a record says of its request, beside the answer: as much of it as is known by now. */
export interface RequestSoFar {
  bodyEndMs: number | null;
  firstByteMs: number | null;
  requestBytes: number;
  responseBytes: number;
  clientBlockedMs: number;
  streamed: boolean;
  /** Null: its body was not read. */
  asksForStream: boolean | null;
  /** The head of an upstream's answer came. */
  isAnswered: boolean;
  /** The code sent to the client; 0 before there was one. */
  status: number;
  user: string | null;
  /** The name the answer carried, else the requested one once an answer confirmed it. */
  model: string | null;
  requestedModel: string | null;
  upstreamRequestId: string | null;
}

/** What a record says of the answer: whoever read it. */
export type AnswerRead = Pick<
  AnswerMeter,
  'timing' | 'usageSeen' | 'read' | 'streamed' | 'hasReasoning' | 'api' | 'finishReason' | 'serverTimings'
>;

/** The same in plain data, for a process that has not read the answer itself. */
export interface AnswerSoFar {
  read: boolean;
  streamed: boolean;
  hasReasoning: boolean;
  api: Api | null;
  finishReason: string | null;
  serverTimings: ServerTimings | null;
  timing: TimingSoFar;
  /** The upstream's own counts; its output only where that covers all that was seen. */
  usage: UsageSnapshot;
}

export function answerSoFar(answer: AnswerRead): AnswerSoFar {
  const { read, streamed, hasReasoning, api, finishReason, serverTimings, timing, usageSeen } = answer;
  return {
    ...{ read, streamed, hasReasoning, api, finishReason, serverTimings },
    timing: timing.soFar,
    usage: {
      ...said('inputTokens', usageSeen.inputTokens),
      ...said('cachedInputTokens', usageSeen.cachedInputTokens),
      ...said('cacheWriteInputTokens', usageSeen.cacheWriteInputTokens),
      ...said('outputTokens', usageSeen.running),
      ...said('reasoningTokens', usageSeen.reasoningTokens),
    },
  };
}

export function answerOf({ timing, usage, ...said }: AnswerSoFar): AnswerRead {
  const usageSeen = new UsageMerge();
  usageSeen.add(usage, false);
  return { ...said, timing: OutputTiming.of(timing), usageSeen };
}

/** A missing property says "unknown" where a number may not be null. */
function said(field: keyof UsageSnapshot, value: number | null): UsageSnapshot {
  return value === null ? {} : { [field]: value };
}
