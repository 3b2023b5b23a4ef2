import { MODEL, type Order, tokensOfChunk } from './order.ts';

/** The bytes of an answer: chat completion chunks, each one event in one HTTP chunk. */

/** Each is one token of o200k_base, and cannot grow together with its neighbour. Their lengths differ as those of real tokens do. */
export const WORDS = [
  ' the',
  ' of',
  ' a',
  ' people',
  ' and',
  ' important',
  ' to',
  ' water',
  ' in',
  ' because',
  ' is',
  ' government',
  ' that',
  ' small',
  ' for',
  ' information',
] as const;

const OPENING = `{"id":"chatcmpl-truth","object":"chat.completion.chunk","created":1760000000,"model":"${MODEL}"`;

export const FIRST_CHUNK = chunk(
  '"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]',
);

const made = new Map<number, Buffer>();

/** The same bytes again wherever they are the same: there are few kinds, and many writes. */
export function tokenChunk(order: Order, index: number): Buffer {
  const from = (index * order.tokensPerChunk) % WORDS.length;
  const tokens = tokensOfChunk(order, index);
  const key = (order.paddingBytes * 1_000 + tokens) * WORDS.length + from;
  const known = made.get(key) ?? Buffer.from(chunkOf({ from, tokens, paddingBytes: order.paddingBytes }));
  made.set(key, known);
  return known;
}

function chunkOf({ from, tokens, paddingBytes }: { from: number; tokens: number; paddingBytes: number }): string {
  const content = Array.from({ length: tokens }, (_, token) => wordAt(from + token)).join('');
  const padding = paddingBytes > 0 ? `,"obfuscation":"${'.'.repeat(paddingBytes)}"` : '';
  return chunk(`"choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]${padding}`);
}

/** What comes after the last token, and ends the body. */
export function lastChunks({ tokens, usage }: Order): string {
  const counts = `{"prompt_tokens":8,"completion_tokens":${tokens},"total_tokens":${8 + tokens}}`;
  return [
    chunk('"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]'),
    ...(usage === 'never' ? [] : [chunk(`"choices":[],"usage":${counts}`)]),
    framed('data: [DONE]\n\n'),
    LAST_BYTES,
  ].join('');
}

/** The end of a chunked body, and nothing else in an answer of ours. */
export const LAST_BYTES = '0\r\n\r\n';

/** Mixed well, so that no stretch of an answer has longer words than another. */
function wordAt(token: number): string {
  return WORDS[(token * 7) % WORDS.length] ?? '';
}

function chunk(fields: string): string {
  return framed(`data: ${OPENING},${fields}}\n\n`);
}

function framed(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}
