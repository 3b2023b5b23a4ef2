import type { AnswerMeter } from './answer-meter.ts';
import { cutText } from './cut-text.ts';
import type { FinalCount } from './final-count.ts';
import type { FinishedRequest } from './finished.ts';
import type { LiveAccount } from './live-account.ts';
import type { MeterParts, RequestOpening } from './opening.ts';
import type { Ending } from './outcome.ts';
import type { Outcome, UsageRecord } from './record.ts';
import { isSlowClient } from './slow-client.ts';

/** Everything that was measured of a request, in monotonic milliseconds where it is a time. */
export interface Measured {
  opening: RequestOpening;
  parts: Pick<MeterParts, 'clock' | 'worker' | 'instance'>;
  account: LiveAccount;
  answer: AnswerMeter;
  ending: Ending;
  outcome: Outcome;
  endMs: number;
  bodyEndMs: number | null;
  firstByteMs: number | null;
  requestBytes: number;
  responseBytes: number;
  clientBlockedMs: number;
  streamed: boolean;
  user: string | null;
  model: string | null;
  requestedModel: string | null;
  upstreamRequestId: string | null;
}

/** `requested_model` and `user` are cut here (CONTRACT §8), and whatever else others may choose freely. */
const TEXT_LIMIT = 256;
/** Longer paths than any API has. */
const PATH_LIMIT = 2_048;

export function writeRecord(measured: Measured, count: FinalCount): FinishedRequest {
  const { answer, account } = measured;
  const decodeMs = measured.streamed ? answer.timing.decodeMs : null;
  const record: UsageRecord = {
    ...who(measured),
    ...how(measured),
    ...tokens(measured, count),
    ...times(measured, decodeMs),
    ...speeds(measured, count, decodeMs),
    slo: {},
    server_timings: answer.serverTimings,
    worker: measured.parts.worker,
    instance: measured.parts.instance,
  };
  return Object.freeze({
    record: Object.freeze(record),
    labels: account.labels,
    generation: measured.opening.generation,
    gaps: measured.streamed ? answer.timing.gaps : null,
    slowClient: isSlowClient(measured.clientBlockedMs, decodeMs),
    user: measured.user,
  });
}

function who(measured: Measured) {
  const { opening, endMs } = measured;
  const endEpochMs = opening.startedEpochMs + (endMs - opening.t0Ms);
  return {
    time: new Date(endEpochMs).toISOString(),
    started_at: new Date(opening.startedEpochMs).toISOString(),
    id: opening.id,
    request_id: cut(opening.requestId),
    upstream_request_id: cut(measured.upstreamRequestId),
    trace_id: opening.traceId,
    user: cut(measured.user),
    upstream: opening.upstream,
    model: cut(measured.model),
    requested_model: cut(measured.requestedModel),
    api: measured.answer.api ?? opening.api,
    workload: opening.workload,
  };
}

function how(measured: Measured) {
  const { opening, ending, outcome, answer } = measured;
  return {
    method: opening.method,
    path: opening.path.slice(0, PATH_LIMIT),
    stream: measured.streamed,
    status: ending.status,
    outcome,
    finish_reason: cut(answer.finishReason),
    error: ending.error,
  };
}

function tokens(measured: Measured, count: FinalCount) {
  const timing = measured.answer.timing;
  const seen = timing.chunks > 0;
  return {
    input_tokens: count.inputTokens,
    cached_input_tokens: count.cachedInputTokens,
    cache_write_input_tokens: count.cacheWriteInputTokens,
    output_tokens: count.outputTokens,
    reasoning_tokens: count.reasoningTokens,
    usage_source: count.source,
    choices: timing.choices > 0 ? timing.choices : null,
    output_characters: seen ? timing.characters : null,
    chunks: seen && measured.streamed ? timing.chunks : null,
    request_bytes: measured.requestBytes,
    response_bytes: measured.responseBytes,
  };
}

function times(measured: Measured, decodeMs: number | null) {
  const { opening, answer, bodyEndMs, streamed } = measured;
  const sinceBody = (atMs: number | null) =>
    atMs === null || bodyEndMs === null || atMs < bodyEndMs ? null : rounded(atMs - bodyEndMs);
  const gaps = streamed ? answer.timing.gaps : null;
  return {
    ttfb_ms: sinceBody(measured.firstByteMs),
    ttft_ms: streamed ? sinceBody(answer.timing.firstTokenMs) : null,
    ttfa_ms: streamed ? sinceBody(answer.timing.firstAnswerMs) : null,
    decode_ms: rounded(decodeMs),
    longest_gap_ms: gaps === null ? null : rounded(gaps.longestMs),
    e2e_ms: rounded(measured.endMs - opening.t0Ms),
    upload_ms: bodyEndMs === null ? null : rounded(bodyEndMs - opening.t0Ms),
    client_blocked_ms: rounded(measured.clientBlockedMs),
    concurrency_at_start: measured.account.concurrencyAtStart,
  };
}

function speeds(measured: Measured, count: FinalCount, decodeMs: number | null) {
  const { answer, opening, endMs, streamed } = measured;
  const tpotMs = streamed
    ? answer.timing.tpotMs(count.visibleTokens, (choice) => answer.usageSeen.tokensOfChoice(choice))
    : null;
  const e2eMs = endMs - opening.t0Ms;
  const { outputTokens } = count;
  return {
    tpot_ms: rounded(tpotMs),
    user_speed_tokens_per_second: tpotMs === null ? null : rounded(1000 / tpotMs),
    end_to_end_speed_tokens_per_second:
      outputTokens === null || e2eMs <= 0 ? null : rounded((outputTokens * 1000) / e2eMs),
    characters_per_second:
      tpotMs === null || decodeMs === null ? null : rounded((answer.timing.characters * 1000) / decodeMs),
  };
}

/** To a microsecond, or a thousandth: beyond it is noise, and lines stay short. */
function rounded(value: number): number;
function rounded(value: number | null): number | null;
function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1000) / 1000;
}

function cut(text: string | null): string | null {
  return text === null ? null : cutText(text, TEXT_LIMIT);
}
