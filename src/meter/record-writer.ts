import { BLANK_RECORD } from './blank-record.ts';
import { cutText } from './cut-text.ts';
import type { FinalCount } from './final-count.ts';
import type { FinishedRequest } from './finished.ts';
import type { Judged, LiveAccount } from './live-account.ts';
import type { MeterParts, RequestOpening } from './opening.ts';
import type { Ending } from './outcome.ts';
import type { Outcome, UsageRecord } from './record.ts';
import { type Evidence, judge } from './slo.ts';
import { isSlowClient } from './slow-client.ts';
import type { AnswerRead, RequestSoFar } from './so-far.ts';

/** Everything that was measured of a request, in monotonic milliseconds where it is a time. */
export interface Measured extends RequestSoFar {
  opening: RequestOpening;
  parts: Pick<MeterParts, 'worker' | 'instance'>;
  account: Pick<LiveAccount, 'labels' | 'concurrencyAtStart'>;
  answer: AnswerRead;
  ending: Ending;
  outcome: Outcome;
  endMs: number;
}

/** `requested_model` and `user` are cut here (CONTRACT §8), and whatever else others may choose freely. */
const TEXT_LIMIT = 256;
/** Longer paths than any API has. */
const PATH_LIMIT = 2_048;

export interface WrittenRecord {
  finished: FinishedRequest;
  judged: Judged;
}

export function writeRecord(measured: Measured, count: FinalCount): WrittenRecord {
  const { answer, account } = measured;
  const decodeMs = measured.streamed ? answer.timing.decodeMs : null;
  const slowClient = isSlowClient(measured.clientBlockedMs, decodeMs);
  const record = { ...BLANK_RECORD };
  tellWho(record, measured);
  tellHow(record, measured);
  tellTokens(record, measured, count);
  tellTimes(record, measured, decodeMs);
  tellSpeeds(record, measured, { count, decodeMs });
  const judgement = judge(evidenceOf(measured, record, slowClient), measured.opening.targets);
  record.slo = judgement.verdicts;
  const finished = Object.freeze({
    record: Object.freeze(record),
    labels: account.labels,
    endMs: measured.endMs,
    generation: measured.opening.generation,
    gaps: measured.streamed ? answer.timing.gaps : null,
    slowClient,
    user: measured.user,
  });
  // What nobody got whole is wasted, however well it was served.
  const outputTokens = measured.outcome === 'complete' ? count.outputTokens : null;
  return { finished, judged: { judgement, outputTokens, endMs: measured.endMs } };
}

/** By the figures of the record, so that whoever reads it comes to the same verdicts. */
function evidenceOf(measured: Measured, told: Readonly<UsageRecord>, slowClient: boolean): Evidence {
  const { answer, endMs, bodyEndMs, isAnswered } = measured;
  return {
    outcome: told.outcome,
    status: told.status,
    asksForStream: measured.asksForStream,
    isStreamed: isAnswered ? measured.streamed : null,
    isUnread: isAnswered && !answer.read,
    hasToken: answer.timing.chunks > 0,
    waitedMs: bodyEndMs === null ? null : rounded(endMs - bodyEndMs),
    slowClient,
    ttftMs: told.ttft_ms,
    tpotMs: told.tpot_ms,
    speed: told.user_speed_tokens_per_second,
    longestGapMs: told.longest_gap_ms,
    e2eMs: told.e2e_ms,
  };
}

function tellWho(record: UsageRecord, measured: Measured): void {
  const { opening, parts, endMs } = measured;
  const endEpochMs = opening.startedEpochMs + (endMs - opening.t0Ms);
  record.time = new Date(endEpochMs).toISOString();
  record.started_at = new Date(opening.startedEpochMs).toISOString();
  record.id = opening.id;
  record.request_id = cut(opening.requestId);
  record.upstream_request_id = cut(measured.upstreamRequestId);
  record.trace_id = opening.traceId;
  record.user = cut(measured.user);
  record.upstream = opening.upstream;
  record.model = cut(measured.model);
  record.requested_model = cut(measured.requestedModel);
  record.api = measured.answer.api ?? opening.api;
  record.workload = opening.workload;
  record.worker = parts.worker;
  record.instance = parts.instance;
}

function tellHow(record: UsageRecord, { opening, ending, outcome, answer, streamed }: Measured): void {
  record.method = opening.method;
  record.path = opening.path.slice(0, PATH_LIMIT);
  record.stream = streamed;
  record.status = ending.status;
  record.outcome = outcome;
  record.finish_reason = cut(answer.finishReason);
  record.error = ending.error;
}

function tellTokens(record: UsageRecord, measured: Measured, count: FinalCount): void {
  const timing = measured.answer.timing;
  record.input_tokens = count.inputTokens;
  record.cached_input_tokens = count.cachedInputTokens;
  record.cache_write_input_tokens = count.cacheWriteInputTokens;
  record.output_tokens = count.outputTokens;
  record.reasoning_tokens = count.reasoningTokens;
  record.usage_source = count.source;
  record.request_bytes = measured.requestBytes;
  record.response_bytes = measured.responseBytes;
  if (timing.choices > 0) record.choices = timing.choices;
  if (timing.chunks === 0) return;
  record.output_characters = timing.characters;
  if (measured.streamed) record.chunks = timing.chunks;
}

function tellTimes(record: UsageRecord, measured: Measured, decodeMs: number | null): void {
  const { opening, answer, bodyEndMs, streamed } = measured;
  const { timing } = answer;
  const sinceBody = (atMs: number | null) =>
    atMs === null || bodyEndMs === null || atMs < bodyEndMs ? null : rounded(atMs - bodyEndMs);
  record.ttfb_ms = sinceBody(measured.firstByteMs);
  if (streamed) {
    record.ttft_ms = sinceBody(timing.firstTokenMs);
    record.ttfa_ms = sinceBody(timing.firstAnswerMs);
    record.longest_gap_ms = timing.gaps === null ? null : rounded(timing.gaps.longestMs);
  }
  record.decode_ms = rounded(decodeMs);
  record.e2e_ms = rounded(measured.endMs - opening.t0Ms);
  record.upload_ms = bodyEndMs === null ? null : rounded(bodyEndMs - opening.t0Ms);
  record.client_blocked_ms = rounded(measured.clientBlockedMs);
  record.concurrency_at_start = measured.account.concurrencyAtStart;
  record.server_timings = answer.serverTimings;
}

interface Counted {
  count: FinalCount;
  decodeMs: number | null;
}

function tellSpeeds(record: UsageRecord, { answer, opening, endMs, streamed }: Measured, counted: Counted): void {
  const { outputTokens, visibleTokens } = counted.count;
  const e2eMs = endMs - opening.t0Ms;
  if (outputTokens !== null && e2eMs > 0) {
    record.end_to_end_speed_tokens_per_second = rounded((outputTokens * 1000) / e2eMs);
  }
  if (!streamed) return;
  const tpotMs = answer.timing.tpotMs(visibleTokens, (choice) => answer.usageSeen.tokensOfChoice(choice));
  record.tpot_ms = rounded(tpotMs);
  if (tpotMs === null) return;
  record.user_speed_tokens_per_second = rounded(1000 / tpotMs);
  if (counted.decodeMs === null) return;
  record.characters_per_second = rounded((answer.timing.characters * 1000) / counted.decodeMs);
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
