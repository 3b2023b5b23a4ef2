/** What the upstream is asked to write, as JSON in the header `x-truth`, which the gateway hands on. */
export interface Order {
  readonly tokens: number;
  readonly tokensPerChunk: number;
  readonly chunksPerSecond: number;
  /** From the end of the request to the first token. */
  readonly prefillMs: number;
  /** One pause on top of the pace: the longest gap of the answer. */
  readonly freeze: { readonly afterChunks: number; readonly ms: number };
  readonly usage: 'at the end' | 'never';
  /** Bytes in every event that are no text. */
  readonly paddingBytes: number;
  /** The upstream breaks off after so many chunks; null = it does not. */
  readonly cutAfterChunks: number | null;
}

export const ORDER_HEADER = 'x-truth';
/** One whose tokenizer the gateway has: where nobody reports, the local count is exact. */
export const MODEL = 'gpt-4o';

export function chunksOf({ tokens, tokensPerChunk, cutAfterChunks }: Order): number {
  return Math.min(Math.ceil(tokens / tokensPerChunk), cutAfterChunks ?? Number.POSITIVE_INFINITY);
}

/** The last chunk holds what is left. */
export function tokensOfChunk({ tokens, tokensPerChunk }: Order, index: number): number {
  return Math.min(tokensPerChunk, tokens - index * tokensPerChunk);
}

/** When a chunk is due, after the request was read. An absolute schedule: a late chunk delays no other. */
export function dueMs({ prefillMs, chunksPerSecond, freeze }: Order, index: number): number {
  return prefillMs + (index * 1000) / chunksPerSecond + (index >= freeze.afterChunks ? freeze.ms : 0);
}
