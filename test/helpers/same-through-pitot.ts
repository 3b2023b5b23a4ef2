import { writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { type CorpusEntry, corpusBody } from './corpus.ts';
import { PitotProcess } from './pitot-process.ts';
import { type RecordedAnswer, RecordedUpstream } from './recorded-upstream.ts';
import { tempDir } from './temp-dir.ts';
import { until } from './until.ts';

/** Small enough that every event is cut somewhere, and prime, so that it is nowhere the same. */
const CUT_BYTES = 97;
/** Token counts as the SDK read them, in canonical form (CONTRACT §6.3); null where the answer did not say. */
export interface Counts {
  input: number | null;
  output: number | null;
}

/** What a client SDK made of one answer. */
export interface Made {
  /** Everything the SDK handed to its caller. */
  parts: unknown;
  /** Left out where the SDK shows no counts. */
  counts?: Counts;
}

/** Runs an SDK against the server whose origin it is given. */
export type SdkClient = (origin: string) => Promise<Made>;

export interface Expected {
  api: string;
  outcome?: string;
  /** The SDK is meant to fail, and in the same way. */
  fails?: boolean;
}

/** Cases for `it.each`, named after their recordings; empty where there is no corpus. */
export function casesOf(entries: readonly CorpusEntry[] | null, pick: (entry: CorpusEntry) => boolean) {
  return (entries ?? []).filter(pick).map((entry) => ({ name: entry.file.replace('streams/', ''), entry }));
}

export function recordingOf(entry: CorpusEntry): RecordedAnswer {
  return { status: entry.status, contentType: entry.content_type, body: corpusBody(entry), cut: CUT_BYTES };
}

/** The built program in front of one server of recordings, for a whole test file. */
export class SameThroughPitot implements AsyncDisposable {
  readonly #upstream: RecordedUpstream;
  readonly #pitot: PitotProcess;
  readonly #direct: string;

  private constructor(upstream: RecordedUpstream, direct: string, pitot: PitotProcess) {
    this.#upstream = upstream;
    this.#direct = direct;
    this.#pitot = pitot;
  }

  /** `usage`: may Pitot ask for usage. One upstream plays many servers here, so what it learns of one would go to all. */
  static async start(usage: 'auto' | 'never' = 'auto'): Promise<SameThroughPitot> {
    const upstream = new RecordedUpstream({ status: 500, contentType: 'text/plain', body: new Uint8Array() });
    const url = await upstream.start();
    await using folder = await tempDir();
    const file = folder.file('pitot.yaml');
    const config = { upstreams: [{ name: 'recorded', url, usage }], usage_log: { path: '-' } };
    await writeFile(file, JSON.stringify(config)); // JSON is YAML.
    return new SameThroughPitot(upstream, url, await PitotProcess.serve(['--config', file]));
  }

  /**
   * The client, at the server and at Pitot: it reads the answer, gets the same from both, and the
   * server cannot tell them apart. Pitot's record says whose answer it was, how it ended, and the counts
   * that the client read. Returns what the client read.
   */
  async expectSame(answer: RecordedAnswer, client: SdkClient, expected: Expected): Promise<Made> {
    this.#upstream.answer = answer;
    this.#upstream.requests = [];
    const before = this.#pitot.records.length;
    const direct = await settled(client(this.#direct));
    const through = await settled(client(this.#pitot.url));
    expect(direct.failure === null, `the SDK reads the recording: ${direct.failure}`).toBe(!expected.fails);
    expect(through).toEqual(direct);
    const [asked, askedThrough, ...more] = this.#upstream.requests;
    expect(askedThrough).toEqual(asked);
    expect(more).toEqual([]);
    await until(() => this.#pitot.records.length > before);
    const record = this.#pitot.records[before];
    expect(record).toMatchObject({
      api: expected.api,
      outcome: expected.outcome ?? 'complete',
      status: answer.status,
      request_bytes: Buffer.byteLength(asked?.body ?? ''),
      // Of a failure, an SDK need not read the rest.
      ...(expected.fails ? {} : { response_bytes: answer.body.length }),
    });
    if (direct.counts !== undefined) {
      expect({ input: record?.['input_tokens'], output: record?.['output_tokens'] }).toEqual(direct.counts);
      expect(record?.['usage_source']).toBe('reported');
    }
    return direct;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pitot[Symbol.asyncDispose]();
    await this.#upstream[Symbol.asyncDispose]();
  }
}

/** What came of it, as plain JSON; a failure is a result like any other. */
async function settled(run: Promise<Made>): Promise<Made & { failure: string | null }> {
  try {
    const made = await run;
    return { ...made, parts: without([], made.parts), failure: null };
  } catch (error) {
    return { parts: null, failure: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

/** The parts as plain JSON, less the keys that an SDK makes anew for every answer or every connection. */
export function without(volatile: readonly string[], parts: unknown): unknown {
  return JSON.parse(JSON.stringify(parts, (key, value) => (volatile.includes(key) ? undefined : value)));
}
