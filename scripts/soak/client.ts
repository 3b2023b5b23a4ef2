import { type Agent, type IncomingMessage, request } from 'node:http';
import type { Engine } from './engine.ts';
import type { Plan } from './plan.ts';

/** How a request ended, as its client saw it. */
export type Ending = 'whole' | 'cut' | 'left' | 'none';

export interface Seen {
  readonly plan: Plan;
  /** 0: there was no answer. */
  readonly status: number;
  readonly ending: Ending;
}

/** How long a client waits for anything, before the run says that Pitot hangs. */
const PATIENCE_MS = 30_000;

/** Sends one request as planned. Rejects only when nothing comes to an end. */
export function send(plan: Plan, to: { url: string; agent: Agent; engine: Engine }): Promise<Seen> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let isLeaving = false;
    const timer = setTimeout(() => reject(new Error(`no end of ${JSON.stringify(plan)}`)), PATIENCE_MS);
    const done = (ending: Ending) => {
      clearTimeout(timer);
      to.engine.forget(plan.id);
      resolve({ plan, status, ending: isLeaving ? 'left' : ending });
    };
    const body = bodyOf(plan);
    const sent = request(`${to.url}${pathOf(plan)}`, {
      method: body === null ? 'GET' : 'POST',
      agent: to.agent,
      headers: headersOf(plan),
    });
    const leave = () => {
      isLeaving = true;
      sent.destroy();
    };
    if (plan.leaves === 'prefill') to.engine.onArrival(plan.id, leave);
    sent.on('response', (answer) => {
      status = answer.statusCode ?? 0;
      read(answer, { leaveAt: plan.leaves === 'midway' ? Math.ceil(plan.chunks / 3) : null, leave, done });
    });
    sent.on('error', () => done(status === 0 ? 'none' : 'cut'));
    sent.end(body);
  });
}

interface Reading {
  /** Go after so many reads. */
  readonly leaveAt: number | null;
  readonly leave: () => void;
  readonly done: (ending: Ending) => void;
}

function read(answer: IncomingMessage, { leaveAt, leave, done }: Reading): void {
  let reads = 0;
  answer.on('data', () => {
    reads += 1;
    if (reads === leaveAt) leave();
  });
  answer.on('end', () => done(answer.complete ? 'whole' : 'cut'));
  answer.on('error', () => done('cut'));
}

const PATHS: Readonly<Record<Plan['api'], string>> = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
  ollama: '/api/chat',
  gemini: '',
  embeddings: '/v1/embeddings',
  models: '/v1/models',
};

function pathOf({ api, route, model, isStreamed }: Plan): string {
  const gemini = `/v1beta/models/${model}:${isStreamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
  return route + (api === 'gemini' ? gemini : PATHS[api]);
}

function headersOf(plan: Plan): Record<string, string> {
  return {
    'x-request-id': plan.id,
    'x-soak': JSON.stringify(plan),
    'content-type': 'application/json',
    authorization: `Bearer ${plan.key}`,
    ...(plan.isBatch ? { 'x-workload': 'batch' } : {}),
  };
}

const USAGE_OPTIONS: Readonly<Record<Plan['usage'], object>> = {
  asked: { stream_options: { include_usage: true } },
  declined: { stream_options: { include_usage: false } },
  open: {},
};

function bodyOf(plan: Plan): string | null {
  if (plan.api === 'models') return null;
  const messages = [{ role: 'user', content: 'x'.repeat(plan.bodyBytes) }];
  if (plan.api === 'gemini') return JSON.stringify({ contents: [{ parts: [{ text: 'x'.repeat(plan.bodyBytes) }] }] });
  return JSON.stringify({
    // Last where the model decides where to: all of the body must have come by then.
    ...(plan.route === '/by-model' ? {} : { model: plan.model }),
    messages,
    stream: plan.isStreamed,
    ...(plan.choices > 1 ? { n: plan.choices } : {}),
    ...(plan.isStreamed ? USAGE_OPTIONS[plan.usage] : {}),
    ...(plan.route === '/by-model' ? { model: plan.model } : {}),
  });
}
