import { type Agent, type IncomingMessage, request } from 'node:http';
import { DEMO_MODEL } from './engine-request.ts';
import type { PlannedRequest } from './load-plan.ts';

/** How one request of the load ended, as its client saw it. */
export type LoadOutcome = 'answered' | 'left' | 'failed';

export interface LoadTarget {
  /** The data port, `http://HOST:PORT`. */
  url: string;
  agent: Agent;
}

export interface SentRequest {
  /** Never rejects. */
  readonly ended: Promise<LoadOutcome>;
  /** The client goes away. Harmless when the request has ended. */
  leave(): void;
}

/** Sends one request and reads its answer to the end, or to where its client is planned to leave. */
export function sendPlanned(target: LoadTarget, plan: PlannedRequest): SentRequest {
  const body = requestBody(plan);
  const outgoing = request(`${target.url}/v1/chat/completions`, {
    method: 'POST',
    agent: target.agent,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer demo-${plan.user}`,
      'x-user-id': plan.user,
      ...(plan.kind === 'batch' ? { 'x-workload': 'batch' } : {}),
    },
  });
  let isLeft = false;
  const leave = () => {
    isLeft = true;
    outgoing.destroy();
  };
  const ended = new Promise<LoadOutcome>((resolve) => {
    // A promise is settled once: of several endings of one exchange, the first is the outcome.
    const breakOff = () => resolve(isLeft ? 'left' : 'failed');
    outgoing.on('response', (answer) => {
      answer.on('end', () => resolve(answer.statusCode === 200 ? 'answered' : 'failed'));
      answer.on('error', breakOff);
      answer.on('close', breakOff);
      onNthRead(answer, plan.leavesAfterEvents, leave);
    });
    outgoing.on('error', breakOff);
    outgoing.on('close', breakOff);
    outgoing.end(body);
  });
  return { ended, leave };
}

/** Reads the answer and forgets it. The engine writes one event at a time, so reads stand for events well enough. */
function onNthRead(answer: IncomingMessage, nth: number | null, act: () => void): void {
  let reads = 0;
  answer.on('data', () => {
    reads += 1;
    if (reads === nth) act();
  });
}

/** `ignore_eos` makes the engine generate exactly the planned tokens. */
function requestBody(plan: PlannedRequest): string {
  const streamed = plan.kind === 'chat';
  return JSON.stringify({
    model: DEMO_MODEL,
    messages: [{ role: 'user', content: prompt(plan.tokens.inputTokens) }],
    max_tokens: plan.tokens.outputTokens,
    ignore_eos: true,
    stream: streamed,
    ...(streamed && plan.asksUsage ? { stream_options: { include_usage: true } } : {}),
  });
}

const PROMPT = 'This prompt is part of a simulated load and means nothing. ';

/** Text of exactly this many simulated tokens (four characters each). */
function prompt(tokens: number): string {
  return PROMPT.repeat(Math.ceil((tokens * 4) / PROMPT.length)).slice(0, tokens * 4);
}
