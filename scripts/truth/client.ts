import { setTimeout as wait } from 'node:timers/promises';
import { answerWith } from '../bench/conversation.ts';
import type { Order } from './order.ts';
import { type Behaviour, type Target, User } from './user.ts';

/** The clients, a process of its own. */

/** Users who do the same. */
export interface Group {
  readonly users: number;
  readonly order: Order;
  readonly behaviour: Behaviour;
}

export type ClientQuestion =
  | { readonly kind: 'open'; readonly target: Target; readonly name: string; readonly groups: readonly Group[] }
  /** Nobody asks again; answered when every answer has ended. */
  | { readonly kind: 'finish' };

export interface ClientAnswer {
  readonly open: number;
  readonly faults: readonly string[];
}

const LIMIT_MS = 20_000;
/** Connections begun at once: a burst over the backlog would wait a second for TCP's second try. */
const BATCH = 50;

let users: User[] = [];
const faults: string[] = [];

answerWith<ClientQuestion>(async (question) => {
  if (question.kind === 'open') await open(question);
  else await finish();
  return { open: users.length, faults };
});

async function open({ target, name, groups }: ClientQuestion & { kind: 'open' }): Promise<void> {
  const fault = (sentence: string) => faults.push(sentence);
  for (const [place, { users: count, order, behaviour }] of groups.entries()) {
    for (let index = 0; index < count; index += 1) {
      // The first answers have all lengths, so that not all end together.
      const first = { ...order, tokens: Math.max(8, Math.ceil((order.tokens * (index + 1)) / count)) };
      users.push(new User(target, { name: `${name}-${place}-${index}`, first, order, behaviour }, fault));
      if (users.length % BATCH === 0) await wait(5);
    }
  }
  const until = performance.now() + LIMIT_MS;
  while (!users.every(({ isConnected }) => isConnected) && performance.now() < until) await wait(5);
}

async function finish(): Promise<void> {
  for (const user of users) user.finish();
  const until = performance.now() + LIMIT_MS;
  while (!users.every(({ isDone }) => isDone) && performance.now() < until) await wait(20);
  const late = users.filter(({ isDone }) => !isDone).length;
  if (late > 0) faults.push(`${late} answers did not end`);
  for (const user of users) user.close();
  users = [];
}
