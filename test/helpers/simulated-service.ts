import { Curves } from '../../src/curve/curves.ts';
import { EngineModel, type StepOutcome } from '../../src/demo/engine-model.ts';
import type { EngineProfile } from '../../src/demo/engine-profile.ts';
import type { TokenAsk } from '../../src/demo/engine-sequence.ts';
import type { Account } from '../../src/ledger/account.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import type { UsageRecord } from '../../src/meter/record.ts';
import { ManualClock } from './manual-clock.ts';
import { configOf, finishedRequest } from './recorder.ts';

/** One kind of client: how many of them at a time, and what each asks, one request after the other. */
export interface Clients {
  workload: string;
  stream: boolean;
  wanted: (elapsedMs: number) => number;
  nextAsk: () => TokenAsk;
}

interface Open {
  clients: Clients;
  account: Account;
  ask: TokenAsk;
  submittedMs: number;
  firstMs: number | null;
}

const YAML = 'upstreams: [ { name: sim, url: "http://127.0.0.1:1", gpus: 1, conditions: { gpu: simulated } } ]';

/**
 * The demo's engine, a ledger and curves in simulated time: hours of load in seconds. Everything goes the way
 * it goes in the gateway, from the account of a request on; the engine's tokens are told chunk by chunk.
 */
export class SimulatedService {
  readonly clock = new ManualClock();
  readonly curves = new Curves(this.clock, configOf(YAML).upstreams);
  readonly ledger: Ledger;
  readonly #model: EngineModel;
  readonly #clients: readonly Clients[];
  readonly #open = new Map<number, Open>();
  readonly #startMs = this.clock.nowMs();

  constructor(profile: EngineProfile, clients: readonly Clients[]) {
    this.#model = new EngineModel(profile, 7);
    this.#clients = clients;
    this.ledger = new Ledger({
      clock: this.clock,
      maxLabelSets: 50,
      maxModels: 10,
      activityOf: (upstream) => ({ ...this.curves.activityOf(upstream), worked() {}, phase() {} }),
      onPhase: (move) => this.curves.phase(move),
    });
  }

  run(durationMs: number): void {
    this.#fill();
    while (this.#elapsedMs < durationMs) {
      if (this.#model.stepEndsMs === null) {
        this.clock.advance(100);
        this.#fill();
        continue;
      }
      const step = this.#model.finishStep();
      this.clock.advance(step.endedMs - this.#elapsedMs);
      this.#deliver(step);
      this.#fill();
    }
    // Long enough for every record to be told and every window to be closed.
    this.clock.advance(60_000);
  }

  get #elapsedMs(): number {
    return this.clock.nowMs() - this.#startMs;
  }

  #fill(): void {
    for (const clients of this.#clients) {
      let running = [...this.#open.values()].filter((open) => open.clients === clients).length;
      for (; running < clients.wanted(this.#elapsedMs); running += 1) this.#submit(clients);
    }
  }

  #submit(clients: Clients): void {
    const ask = clients.nextAsk();
    const account = this.ledger.open('sim', clients.workload, 'openai.chat');
    const nowMs = this.clock.nowMs();
    account.requested('tiny');
    account.phase(clients.stream ? 'prefill' : 'unstreamed', nowMs);
    account.confirmModel('tiny');
    const id = this.#model.submit(ask, this.#elapsedMs);
    this.#open.set(id, { clients, account, ask, submittedMs: nowMs, firstMs: null });
  }

  #deliver(step: StepOutcome): void {
    const nowMs = this.clock.nowMs();
    for (const { id, tokens, finished } of step.emissions) {
      const open = this.#open.get(id);
      if (open === undefined) throw new Error(`tokens for the unknown request ${id}`);
      if (open.clients.stream) {
        if (open.firstMs === null) open.account.phase('decode', nowMs);
        open.account.emitted(4 * tokens, null, nowMs);
      }
      open.firstMs ??= nowMs;
      if (finished) this.#finish(id, open);
    }
  }

  #finish(id: number, open: Open): void {
    const { account, ask, submittedMs, firstMs, clients } = open;
    const endMs = this.clock.nowMs();
    this.#open.delete(id);
    account.phase(null, endMs);
    const fromMs = clients.stream ? (firstMs ?? endMs) : submittedMs;
    account.settle({ outputTokens: ask.outputTokens, wasReported: true, lesson: null, fromMs, toMs: endMs });
    const record = recordOf(open, endMs);
    this.curves.finished(finishedRequest(record, { labels: account.labels, endMs }));
  }
}

function recordOf({ ask, submittedMs, firstMs, clients }: Open, endMs: number): Partial<UsageRecord> {
  const decodeMs = clients.stream && firstMs !== null ? endMs - firstMs : null;
  const tpotMs = decodeMs === null ? null : decodeMs / (ask.outputTokens - 1);
  return {
    stream: clients.stream,
    input_tokens: ask.inputTokens,
    output_tokens: ask.outputTokens,
    upload_ms: 0,
    e2e_ms: endMs - submittedMs,
    ttft_ms: decodeMs === null || firstMs === null ? null : firstMs - submittedMs,
    decode_ms: decodeMs,
    tpot_ms: tpotMs,
    longest_gap_ms: tpotMs,
    user_speed_tokens_per_second: tpotMs === null ? null : 1000 / tpotMs,
    characters_per_second: tpotMs === null ? null : 4000 / tpotMs,
  };
}
