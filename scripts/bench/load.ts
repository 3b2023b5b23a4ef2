import { setTimeout as wait } from 'node:timers/promises';
import { answerWith } from './conversation.ts';
import { nowUs, ORDER_HEADER } from './event.ts';
import { callBody, LoadCall } from './load-call.ts';
import { LoadStream } from './load-stream.ts';
import { headOf, type LoadSink, type LoadUser, type Target } from './load-user.ts';
import { type CallPlan, type Plan, type StreamPlan, usersOf } from './plan.ts';
import { type Measured, Window } from './window.ts';

/** The load client, a process of its own. */

export interface Through {
  readonly target: Target;
  /** What a contestant wants to be told in every request. */
  readonly headers: Readonly<Record<string, string>>;
}

export type Question =
  | { readonly kind: 'open'; readonly through: Through; readonly plan: Plan }
  | { readonly kind: 'measure'; readonly seconds: number }
  | { readonly kind: 'close' };

export interface Opened {
  readonly open: number;
  readonly faults: readonly string[];
}

export interface Answer extends Measured {
  readonly faults: readonly string[];
}

const OPEN_LIMIT_MS = 20_000;
/** Connections begun at once: a burst over the backlog would wait a second for TCP's second try. */
const BATCH = 50;
const KEPT_FAULTS = 1_000;
/** As the names of real users: several streams belong to one. */
const USERS = 20;

const window = new Window();
let users: LoadUser[] = [];
let ticking: NodeJS.Timeout | null = null;
let opened = new Set<number>();
let faults: string[] = [];

answerWith<Question>(async (question) => {
  switch (question.kind) {
    case 'open':
      return open(question.through, question.plan);
    case 'measure':
      return measure(question.seconds);
    case 'close':
      close();
      return {};
    default:
      return question satisfies never;
  }
});

async function open(through: Through, plan: Plan): Promise<Opened> {
  opened = new Set();
  faults = [];
  const begin = plan.kind === 'streams' ? streamsOf(through, plan) : callsOf(through, plan);
  const all = usersOf(plan);
  const until = performance.now() + OPEN_LIMIT_MS;
  for (let index = 0; index < all; index += 1) {
    users.push(begin(index));
    while (index + 1 - opened.size - faults.length >= BATCH && performance.now() < until) await wait(1);
  }
  while (opened.size + faults.length < all && performance.now() < until) await wait(5);
  return { open: opened.size, faults };
}

function streamsOf({ target, headers }: Through, plan: StreamPlan): (index: number) => LoadUser {
  return (index) => {
    const share = index / plan.streams;
    const phase = plan.moments === 'together' ? 0 : share;
    const order = {
      kind: 'stream' as const,
      events: plan.eventsPerAnswer,
      perSecond: plan.perSecond,
      phase,
      model: 'bench',
    };
    const first = { ...order, events: Math.ceil(plan.eventsPerAnswer * (share + 1 / plan.streams)) };
    const head = headOf(target, `user-${index % USERS}`, headers);
    return new LoadStream(target, { first, order, head }, sinkOf(index));
  };
}

function callsOf({ target, headers }: Through, plan: CallPlan): (index: number) => LoadUser {
  const body = callBody(plan.bodyBytes);
  const own = {
    ...headers,
    [ORDER_HEADER]: JSON.stringify({ kind: 'call', model: 'bench' }),
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
  };
  const calls: LoadCall[] = [];
  ticking = setInterval(() => {
    const now = nowUs();
    for (const call of calls) call.tick(now);
  }, 1);
  return (index) => {
    const head = `${headOf(target, `user-${index % USERS}`, own)}\r\n`;
    const times = { periodUs: 1e6 / plan.perSecond, phase: index / plan.clients };
    const call = new LoadCall(target, { request: { head, body }, times }, sinkOf(index));
    calls.push(call);
    return call;
  };
}

function sinkOf(index: number): LoadSink {
  return {
    opened: () => opened.add(index),
    arrived: (latencyUs) => window.add(latencyUs),
    fault: (sentence) => {
      if (faults.length < KEPT_FAULTS) faults.push(sentence);
    },
  };
}

async function measure(seconds: number): Promise<Answer> {
  window.begin(performance.now());
  await wait(seconds * 1000);
  return { ...window.end(performance.now()), faults };
}

function close(): void {
  if (ticking !== null) clearInterval(ticking);
  ticking = null;
  for (const user of users) user.close();
  users = [];
}
