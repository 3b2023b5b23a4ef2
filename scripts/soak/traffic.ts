import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { pick, type Random } from '../../src/demo/random.ts';
import { type Seen, send } from './client.ts';
import type { Engine } from './engine.ts';
import type { Pitot } from './pitot.ts';
import { planned } from './plan.ts';

export interface TrafficParts {
  readonly pitot: Pitot;
  readonly engine: Engine;
  readonly random: Random;
  readonly clients: number;
  readonly onSeen: (seen: Seen) => void;
}

/** Pauses between the disturbances, in milliseconds. */
const RESTART_EACH_MS = 6_000;
const RELOAD_EACH_MS = 2_500;
const RUBBISH_EACH_MS = 300;
/** Bytes that are no request: there is nothing to be recorded of them. */
const RUBBISH: readonly [string, ...string[]] = [
  '',
  '\0\0\0\0',
  'GET / HTTP/9.9\r\n\r\n',
  'POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n',
  '\x16\x03\x01\x02',
];

/** Clients that send one request after the other, and all that happens around them. */
export class Traffic {
  sent = 0;
  readonly #parts: TrafficParts;

  constructor(parts: TrafficParts) {
    this.#parts = parts;
  }

  /** Resolves when the time is over and everything has ended. Rejects when something never ends. */
  async run(forMs: number): Promise<void> {
    const untilMs = performance.now() + forMs;
    const isOn = () => performance.now() < untilMs;
    const agent = new Agent({ keepAlive: true });
    const clients = Array.from({ length: this.#parts.clients }, () => this.#client(isOn, agent));
    await Promise.all([...clients, this.#restarts(isOn), this.#reloads(isOn), this.#rubbish(isOn)]);
    agent.destroy();
  }

  async #client(isOn: () => boolean, agent: Agent): Promise<void> {
    const { pitot, engine, random, onSeen } = this.#parts;
    while (isOn()) {
      this.sent += 1;
      onSeen(await send(planned(this.sent, random), { url: pitot.url, agent, engine }));
    }
  }

  async #restarts(isOn: () => boolean): Promise<void> {
    await each(RESTART_EACH_MS, isOn, () => this.#parts.engine.restart(50 + this.#parts.random() * 250));
  }

  /** Every third is a faulty one. */
  async #reloads(isOn: () => boolean): Promise<void> {
    let number = 0;
    await each(RELOAD_EACH_MS, isOn, async () => {
      number += 1;
      await this.#parts.pitot.reload(number % 3 === 0);
    });
  }

  async #rubbish(isOn: () => boolean): Promise<void> {
    const { pitot, random } = this.#parts;
    const { hostname: host, port } = new URL(pitot.url);
    await each(RUBBISH_EACH_MS, isOn, async () => {
      const socket = connect({ host, port: Number(port) });
      socket.on('error', () => {});
      socket.write(pick(random, RUBBISH), 'latin1');
      await wait(20);
      if (random() < 0.5) socket.resetAndDestroy();
      else socket.end();
    });
  }
}

async function each(pauseMs: number, isOn: () => boolean, act: () => Promise<void>): Promise<void> {
  let nextMs = performance.now() + pauseMs;
  while (isOn()) {
    await wait(20);
    if (performance.now() < nextMs) continue;
    await act();
    nextMs = performance.now() + pauseMs;
  }
}
