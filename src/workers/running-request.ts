import type { Account, Emission } from '../ledger/account.ts';
import { finalCount, settlementOf, sourceOfAnswer } from '../meter/final-count.ts';
import type { FinishedRequest } from '../meter/finished.ts';
import { GapBins } from '../meter/gaps.ts';
import type { MeterParts, RequestOpening } from '../meter/opening.ts';
import { writeRecord } from '../meter/record-writer.ts';
import { answerOf } from '../meter/so-far.ts';
import type { FinishedTold, SoFar } from './protocol.ts';

/** What a request that was cut answers, as far as its client did not get a code (CONTRACT §7). */
const CUT_STATUS = 503;

/** A request that runs in a worker, as the first process knows it: enough to end it, should the worker die. */
export class RunningRequest {
  readonly account: Account;
  readonly #opening: RequestOpening;
  #soFar: SoFar;

  constructor(opening: RequestOpening, account: Account) {
    this.#opening = opening;
    this.account = account;
    this.#soFar = nothingYet(opening);
  }

  requested(model: string | null): void {
    this.#soFar.request.requestedModel = model;
    this.account.requested(model);
  }

  confirmed(answered: string | null): void {
    const { request } = this.#soFar;
    request.model = answered ?? request.requestedModel;
    // Only a 2xx answer confirms; which, is told with what is known so far.
    request.status ||= 200;
    this.account.confirmModel(answered);
  }

  emitted(emission: Emission): void {
    const { request, answer } = this.#soFar;
    const { timing, usage } = answer;
    request.isAnswered = true;
    request.streamed = true;
    answer.read = true;
    answer.streamed = true;
    timing.chunks += emission.chunks;
    timing.characters += emission.characters;
    timing.firstTokenMs ??= emission.atMs;
    timing.lastTokenMs = emission.atMs;
    if (timing.choices.length === 0) {
      const { characters, chunks, atMs } = emission;
      timing.choices.push([0, { firstMs: atMs, lastMs: atMs, chunks, characters }]);
    }
    if (emission.running !== null) usage.outputTokens = emission.running.tokens;
    this.account.emittedTogether(emission);
  }

  told(soFar: SoFar): void {
    this.#soFar = soFar;
    this.account.user = soFar.request.user;
  }

  /** Under the labels that this process gave it, and with the concurrency of the machine. */
  finished({ record, gaps, ...told }: FinishedTold): FinishedRequest {
    const { labels, concurrencyAtStart } = this.account;
    return Object.freeze({
      ...told,
      record: Object.freeze({ ...record, concurrency_at_start: concurrencyAtStart }),
      labels,
      gaps: gaps === null ? null : GapBins.of(gaps),
    });
  }

  /** Its worker died: the record by what was last heard, and the account settled by it. */
  cut(endMs: number, parts: Pick<MeterParts, 'worker' | 'instance' | 'estimates'>): FinishedRequest {
    const { account } = this;
    const { request } = this.#soFar;
    const answer = answerOf(this.#soFar.answer);
    const outcome = 'gateway_shutdown';
    account.phase(null, endMs);
    const source = sourceOfAnswer(answer, { outcome, estimates: parts.estimates });
    const count = finalCount(answer, source, { account, local: null });
    const fromMs = request.bodyEndMs ?? this.#opening.t0Ms;
    account.settle(settlementOf(count, answer, { fromMs, toMs: endMs, isWhole: false }));
    const ending = { kind: outcome, status: request.status || CUT_STATUS, error: null } as const;
    const measured = { ...request, opening: this.#opening, parts, account, answer, ending, outcome, endMs } as const;
    const { finished, judged } = writeRecord(measured, count);
    account.judged(judged);
    return finished;
  }
}

function nothingYet({ requestedModelFromPath }: RequestOpening): SoFar {
  return {
    request: {
      bodyEndMs: null,
      firstByteMs: null,
      requestBytes: 0,
      responseBytes: 0,
      clientBlockedMs: 0,
      streamed: false,
      asksForStream: null,
      isAnswered: false,
      status: 0,
      user: null,
      model: null,
      requestedModel: requestedModelFromPath,
      upstreamRequestId: null,
    },
    answer: {
      read: false,
      streamed: false,
      hasReasoning: false,
      api: null,
      finishReason: null,
      serverTimings: null,
      timing: {
        firstTokenMs: null,
        firstAnswerMs: null,
        lastTokenMs: null,
        chunks: 0,
        characters: 0,
        choices: [],
        gaps: null,
      },
      usage: {},
    },
  };
}
