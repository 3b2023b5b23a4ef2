import { CountReader } from '../counts.ts';
import type { Api, Dialect, FactSink, UsageSnapshot } from '../facts.ts';
import { type JsonObject, object } from '../json.ts';
import { type MessageReader, openMessages } from '../message-answer.ts';
import { ModelName } from '../model-name.ts';
import { readOllamaCounts, readOllamaTimings } from './ollama-final.ts';
import { readOpenaiUsage } from './openai-usage.ts';

/** `POST …/embeddings` (FORMATS §2): no output, but input that counts. */
export const openaiEmbeddings: Dialect = embeddings('openai.embeddings', 'data');

/** `POST /api/embed`, and `/api/embeddings` of old, which counts nothing (FORMATS §6). */
export const ollamaEmbed: Dialect = embeddings('ollama.embed', 'embeddings');

function embeddings(api: Api, vectors: string): Dialect {
  return {
    api,
    open: (head, sink, eventBytes) => openMessages(head, new EmbeddingMessages(sink), { sink, eventBytes, vectors }),
  };
}

/** Both say so little that one reader serves; by its counts it knows whose answer it has on a path that both use. */
export class EmbeddingMessages implements MessageReader {
  readonly #sink: FactSink;
  readonly #counts: CountReader;
  readonly #name: ModelName;
  readonly complete = false;
  api: Api | null = null;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#counts = new CountReader(sink);
    this.#name = new ModelName(sink);
  }

  message(message: JsonObject): void {
    this.#name.read(message['model']);
    const usage = object(message['usage']);
    if (usage !== null || message['data'] !== undefined) this.api = 'openai.embeddings';
    else if (message['embeddings'] !== undefined || message['embedding'] !== undefined) this.api = 'ollama.embed';
    const said = usage === null ? readOllamaCounts(message, this.#counts) : this.#readUsage(usage);
    if (said !== null) this.#sink.usage(said, true);
    const timings = readOllamaTimings(message);
    if (timings !== null) this.#sink.timings(timings);
  }

  end(): void {}

  /** Voyage gives the total alone, which is all input. */
  #readUsage(usage: JsonObject): UsageSnapshot | null {
    const total = this.#counts.read(usage['total_tokens']);
    const said = readOpenaiUsage(usage, this.#counts);
    return said ?? (total === undefined ? null : { inputTokens: total });
  }
}
