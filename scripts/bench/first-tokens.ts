import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import { ORDER_HEADER } from './event.ts';
import type { Target } from './load-user.ts';

/** A short answer whose first token is due at once. */
const ORDER = JSON.stringify({ kind: 'stream', events: 3, perSecond: 1_000, phase: 0, model: 'bench' });
const BODY = JSON.stringify({ model: 'bench', stream: true, messages: [], stream_options: { include_usage: true } });
const REQUEST = [
  'POST /v1/chat/completions HTTP/1.1',
  'Host: bench',
  `${ORDER_HEADER}: ${ORDER}`,
  'Content-Type: application/json',
  `Content-Length: ${BODY.length}`,
  '',
  BODY,
].join('\r\n');

/** Asks for one short answer after the other over one connection, for so long; the times to their first tokens, rising. */
export async function firstTokenTimesMs(through: Target, seconds: number): Promise<number[]> {
  const socket = connect({ ...through, noDelay: true });
  const times: number[] = [];
  try {
    await ask(socket, { times, untilMs: performance.now() + seconds * 1000 });
  } finally {
    socket.destroy();
  }
  return times.sort((a, b) => a - b);
}

function ask(socket: Socket, { times, untilMs }: { times: number[]; untilMs: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    let askedMs = 0;
    let isFirst = false;
    const next = () => {
      askedMs = performance.now();
      isFirst = true;
      socket.write(REQUEST);
    };
    const reader = new AnswerReader({
      head: () => {},
      event: () => {
        if (isFirst) times.push(performance.now() - askedMs);
        isFirst = false;
      },
      end: () => {
        if (performance.now() >= untilMs) resolve();
        else next();
      },
      fault: (sentence) => reject(new Error(sentence)),
    });
    socket.on('data', (bytes) => reader.read(bytes, bytes.length));
    socket.once('connect', next);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('The connection of the measuring client was closed.')));
  });
}
