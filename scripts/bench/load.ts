import { setTimeout as wait } from 'node:timers/promises';
import { answerWith } from './conversation.ts';
import { nowUs } from './event.ts';
import { LoadStream, type Target } from './load-stream.ts';
import { type Measured, Window } from './window.ts';

/** The load client, a process of its own. */

export interface Plan {
  readonly streams: number;
  readonly perSecond: number;
  /** Length of an answer; the first one of each stream is shorter, so that not all end together. */
  readonly eventsPerAnswer: number;
}

export type Question =
  | { readonly kind: 'open'; readonly target: Target; readonly plan: Plan }
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

const window = new Window();
let streams: LoadStream[] = [];
let opened = new Set<number>();
let faults: string[] = [];

answerWith<Question>(async (question) => {
  switch (question.kind) {
    case 'open':
      return open(question.target, question.plan);
    case 'measure':
      return measure(question.seconds);
    case 'close':
      for (const stream of streams) stream.close();
      streams = [];
      return {};
    default:
      return question satisfies never;
  }
});

async function open(target: Target, plan: Plan): Promise<Opened> {
  opened = new Set();
  faults = [];
  const until = performance.now() + OPEN_LIMIT_MS;
  for (let index = 0; index < plan.streams; index += 1) {
    streams.push(streamOf(target, plan, index));
    while (index + 1 - opened.size - faults.length >= BATCH && performance.now() < until) await wait(1);
  }
  while (opened.size + faults.length < plan.streams && performance.now() < until) await wait(5);
  return { open: opened.size, faults };
}

function streamOf(target: Target, plan: Plan, index: number): LoadStream {
  const phase = index / plan.streams;
  const order = { events: plan.eventsPerAnswer, perSecond: plan.perSecond, phase, model: 'bench' };
  const first = { ...order, events: Math.ceil(plan.eventsPerAnswer * (phase + 1 / plan.streams)) };
  return new LoadStream(
    target,
    { first, order, user: `user-${index % 20}` },
    {
      opened: () => opened.add(index),
      event: (stampUs) => window.add(nowUs() - stampUs),
      fault: (sentence) => {
        if (faults.length < KEPT_FAULTS) faults.push(sentence);
      },
    },
  );
}

async function measure(seconds: number): Promise<Answer> {
  window.begin(performance.now());
  await wait(seconds * 1000);
  return { ...window.end(performance.now()), faults };
}
