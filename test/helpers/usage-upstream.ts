import { gzipSync } from 'node:zlib';
import { chunk, LAST_CHUNK, type WireMessage } from './http-bytes.ts';
import type { Script } from './raw-upstream.ts';

export const CHAT = '/v1/chat/completions';
export const ASKING = '{"model":"m","messages":[],"stream":true}';
/** What `ASKING` becomes. */
export const ASKED = '{"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true}}';

const DELTAS = ['a', 'b'].map(
  (text) => `data: {"model":"m","choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`,
);
const FINISH = 'data: {"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
export const USAGE_EVENT = 'data: {"model":"m","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\n';
const DONE = 'data: [DONE]\n\n';

/** The stream that a client gets who asks for nothing, and the one with the usage chunk in it. */
export const PLAIN_STREAM = [...DELTAS, FINISH, DONE].join('');
export const USAGE_STREAM = [...DELTAS, FINISH, USAGE_EVENT, DONE].join('');

/** Whether the body asks for usage. */
export function asksForUsage(request: WireMessage): boolean {
  return /"include_usage":\s*true/.test(request.body.toString());
}

/** A whole answer with its length. After the content type, further header lines. */
export function answer(status: string, [type, ...more]: readonly string[], body: string | Buffer): Buffer {
  const lines = [`HTTP/1.1 ${status}`, `Content-Type: ${type}`, ...more, `Content-Length: ${Buffer.byteLength(body)}`];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

export const gzipped = (status: string, type: string, body: string): Buffer =>
  answer(status, [type, 'Content-Encoding: gzip'], gzipSync(body));

/** An event stream in HTTP chunks of so many bytes. */
export function streamed(body: string | Buffer, bytes = body.length): Buffer {
  const whole = Buffer.from(body);
  const pieces: Buffer[] = [Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n')];
  pieces.push(Buffer.from('Transfer-Encoding: chunked\r\n\r\n'));
  for (let at = 0; at < whole.length; at += bytes) pieces.push(chunk(whole.subarray(at, at + bytes)));
  return Buffer.concat([...pieces, Buffer.from(LAST_CHUNK)]);
}

/** Answers by what the request says; every request that came is in `requests`. */
export function byRequest(requests: WireMessage[], choose: (request: WireMessage) => Buffer): Script {
  return async (connection) => {
    for (;;) {
      const request = await connection.message();
      requests.push(request);
      connection.write(choose(request));
    }
  };
}

/** As vLLM does: a usage chunk for who asks. */
export const asVllm = (requests: WireMessage[]): Script =>
  byRequest(requests, (request) => streamed(asksForUsage(request) ? USAGE_STREAM : PLAIN_STREAM));
