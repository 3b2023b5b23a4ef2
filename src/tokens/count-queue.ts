import type { CountRequest, CountResult } from './protocol.ts';

/** A request that waits, and whom to tell. */
export interface CountJob {
  request: CountRequest;
  /** Memory of its texts, in bytes. */
  bytes: number;
  /** Monotonic milliseconds. */
  sinceMs: number;
  settle(result: CountResult | null): void;
}

/** Requests that wait for the one worker, first come, first served, bounded in number and in memory. */
export class CountQueue {
  readonly #max: { jobs: number; bytes: number };
  #jobs: CountJob[] = [];
  #bytes = 0;

  constructor(max: { jobs: number; bytes: number }) {
    this.#max = max;
  }

  /** False when there is no room: the job was not taken. */
  push(job: CountJob): boolean {
    if (this.#jobs.length >= this.#max.jobs || this.#bytes + job.bytes > this.#max.bytes) return false;
    this.#jobs.push(job);
    this.#bytes += job.bytes;
    return true;
  }

  shift(): CountJob | null {
    const job = this.#jobs.shift() ?? null;
    this.#bytes -= job?.bytes ?? 0;
    return job;
  }
}

/** Memory that the texts of a request take at most: two bytes for a UTF-16 unit. */
export function sizeOf(request: CountRequest): { output: number; input: number } {
  const output = request.output.reduce((sum, { text }) => sum + 2 * text.length, 0);
  const { input } = request;
  if (input === null) return { output, input: 0 };
  if ('json' in input) return { output, input: input.json.byteLength };
  const ofMessages = input.messages.flatMap(({ role, name, texts }) => [role, name ?? '', ...texts]);
  const ofTools = input.tools.flatMap((tool) => tool.texts);
  const texts = [...ofMessages, ...input.prompts, ...ofTools, ...input.extras];
  return { output, input: texts.reduce((sum, text) => sum + 2 * text.length, 0) };
}
