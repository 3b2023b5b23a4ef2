import { readdirSync } from 'node:fs';
import type { UsageRecord } from '../../src/meter/record.ts';
import { PHASES } from '../../src/meter/record.ts';
import type { TestGateway } from './gateway.ts';
import { retained } from './retained.ts';

const PATIENCE_MS = 8_000;
const TURNS = 4;

/** What nobody handled, of the whole process, since this file was loaded. */
const unhandled: string[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(`unhandled rejection: ${reason}`));
process.on('uncaughtExceptionMonitor', (error) => unhandled.push(`uncaught: ${error}`));
// Too many listeners, say, which is a leak.
process.on('warning', (warning) => unhandled.push(`warning: ${warning.message}`));

/**
 * The law that holds after every fault, whoever made it: sockets and memory are as before, every
 * request has ended in one record, no gauge shows it any more, what was counted is what the records
 * say, and nothing went unhandled.
 */
export class Baseline {
  readonly #gateway: TestGateway;
  readonly #descriptors = openDescriptors();
  readonly #records: number;

  /** Taken while nothing runs. */
  constructor(gateway: TestGateway) {
    this.#gateway = gateway;
    this.#records = gateway.records.length;
  }

  /** Waits until everything is as it was; says what is not. Returns the records of what has happened. */
  async restored(): Promise<UsageRecord[]> {
    // What is under way in the sockets of this process has arrived then, a connection that was just made, say.
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const deadlineMs = performance.now() + PATIENCE_MS;
    for (let found = this.#differences(); found.length > 0; found = this.#differences()) {
      if (performance.now() > deadlineMs) throw new Error(`not as it was: ${found.join('; ')}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const ids = this.#gateway.records.map(({ id }) => id);
    if (new Set(ids).size !== ids.length) throw new Error('two records of one request');
    return this.#gateway.records.slice(this.#records);
  }

  #differences(): string[] {
    const { errors } = this.#gateway;
    const found = [...this.#gauges(), ...this.#counters(), ...errors.map((error) => `logged: ${error}`), ...unhandled];
    const descriptors = openDescriptors() - this.#descriptors;
    if (descriptors > 0) found.push(`${descriptors} more open descriptors`);
    // The dear question comes last.
    return found.length > 0 ? found : retained();
  }

  #gauges(): string[] {
    const { statuses, ledger } = this.#gateway;
    const inFlight = statuses.map(({ name, inFlight }) => [`${inFlight} in flight to ${name}`, inFlight] as const);
    const generations = statuses.map(({ name }) => {
      const running = ledger.countGenerations(name, 0);
      return [`${running} generations on ${name}`, running] as const;
    });
    const phases = [...ledger.series()].flatMap((series) =>
      PHASES.map((phase) => [`${series.inFlight[phase]} in ${phase}`, series.inFlight[phase]] as const),
    );
    return [...inFlight, ...generations, ...phases].filter(([, count]) => count !== 0).map(([what]) => what);
  }

  /** CONTRACT §6.5: with no stream running, the counters less what is withheld are the sum of the final counts. */
  #counters(): string[] {
    const { ledger, records } = this.#gateway;
    const counted = sum([...ledger.series()].map(({ outputTokens, withheld }) => outputTokens - withheld));
    const final = sum(records.map(({ output_tokens }) => output_tokens ?? 0));
    return counted === final ? [] : [`${counted} tokens counted, ${final} in the records`];
  }
}

/** Sockets are the only ones that come and go here. */
function openDescriptors(): number {
  return readdirSync('/dev/fd').length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
