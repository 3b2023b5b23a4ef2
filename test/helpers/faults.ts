import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { UsageRecord } from '../../src/meter/record.ts';
import { Baseline } from './baseline.ts';
import { TestGateway, type UpstreamKeys } from './gateway.ts';
import { post, rawClient } from './raw-client.ts';
import type { RawSocket } from './raw-socket.ts';
import { RawUpstream, type Script } from './raw-upstream.ts';
import { until } from './until.ts';
import { CHAT, PLAIN_STREAM, streamed, USAGE_STREAM } from './usage-upstream.ts';

/** Requests that the HTTP server of this process has begun. */
let begun = 0;
subscribe('http.server.request.start', () => {
  begun += 1;
});

/** Where a fault is played: before a gateway that has seen all the faults before it. */
export interface Scene {
  readonly gateway: TestGateway;
  readonly way: Way;
  /** A new connection to the gateway. */
  client(): Promise<RawSocket>;
  /** Waits until the gateway has read the head of a request. */
  begun(): Promise<void>;
  /** The next connection that the gateway makes. */
  upstream(): Promise<RawSocket>;
  /** All that it has made in this scene. */
  readonly connections: readonly RawSocket[];
}

export type Expected = Partial<UsageRecord>;

/** Something that goes wrong, and what is left of it. */
export interface Fault {
  readonly what: string;
  /** What the upstream does with every connection; nothing, where the scene itself plays its part. */
  readonly upstream?: Script;
  /** Plays it, over fresh connections; they are closed behind it. */
  play(scene: Scene): Promise<void>;
  /** What the records say, in the order in which they are written; none where no request ever existed. */
  readonly records: readonly Expected[];
}

/** The ways in which a request passes the gateway: each has code of its own between the two sides. */
const WAYS = {
  'relayed as it is': { usage: 'never' },
  'asked for usage': { engine: 'vllm' },
  'routed by its model': { usage: 'never', match: { model: '*m*' } },
} as const satisfies Record<string, Partial<UpstreamKeys>>;
export type Way = keyof typeof WAYS;

/** Room for the held bodies of all requests: an ordinary one finds none while another is still accounted for. */
const ROOM_BYTES = 64 * 1024;
const ORDINARY_BYTES = 40 * 1024;

/**
 * Plays every fault, one after the other, before one gateway: behind each the shared law must hold
 * (`Baseline`), its records be as said, and the next ordinary request work.
 */
export function survives(kind: string, faults: readonly Fault[], ways: readonly Way[]): void {
  describe.each(ways)(`${kind} (%s)`, (way) => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await Stage.open(way);
      await stage.ordinary();
    });
    afterAll(() => stage[Symbol.asyncDispose]());

    test.each(faults.map((fault) => [fault.what, fault] as const))('%s', async (_what, fault) => {
      const baseline = new Baseline(stage.gateway);
      await stage.play(fault);
      const records = await baseline.restored();
      expect(records).toMatchObject(fault.records);
      expect(records).toHaveLength(fault.records.length);
      await stage.ordinary();
    });
  });
}

/** What the upstream does with the next connection. */
interface Door {
  behind: Script;
}
const SCENE_PLAYS: Script = () => {};
/** A connection can arrive when the scene for which it was made is over. */
const CLOSED: Script = ({ socket }) => {
  socket.destroy();
};

class Stage implements AsyncDisposable {
  readonly gateway: TestGateway;
  readonly #way: Way;
  readonly #upstream: RawUpstream;
  readonly #door: Door;
  #ordinary = 0;

  private constructor(way: Way, gateway: TestGateway, behind: { upstream: RawUpstream; door: Door }) {
    this.gateway = gateway;
    this.#way = way;
    this.#upstream = behind.upstream;
    this.#door = behind.door;
  }

  static async open(way: Way): Promise<Stage> {
    const door: Door = { behind: CLOSED };
    const upstream = await RawUpstream.start((connection) => door.behind(connection));
    const limits = { body_buffer: ROOM_BYTES, body_buffer_total: ROOM_BYTES };
    const gateway = await TestGateway.start({ url: upstream.url, ...WAYS[way] }, { config: { limits } });
    return new Stage(way, gateway, { upstream, door });
  }

  async play(fault: Fault): Promise<void> {
    const { gateway } = this;
    const upstream = this.#upstream;
    this.#door.behind = fault.upstream ?? SCENE_PLAYS;
    const first = upstream.connections.length;
    const before = begun;
    const clients: RawSocket[] = [];
    let taken = 0;
    try {
      await fault.play({
        gateway,
        way: this.#way,
        begun: () => until(() => begun > before),
        async client() {
          const client = await rawClient(gateway.port);
          clients.push(client);
          return client;
        },
        upstream: () => upstream.connection(first + taken++),
        get connections() {
          return upstream.connections.slice(first);
        },
      });
    } finally {
      for (const { socket } of clients) socket.destroy();
      this.#close();
    }
  }

  /** A streamed chat whose body comes in two parts, names its model last and takes most of the room that held ones have. */
  async ordinary(): Promise<void> {
    const baseline = new Baseline(this.gateway);
    const upstream = this.#upstream;
    // Whatever was learned of other models, that of a new one is asked for usage.
    this.#ordinary += 1;
    const model = `m-${this.#ordinary}`;
    const asking = `{"messages":["${'x'.repeat(ORDINARY_BYTES)}"],"stream":true,"model":"${model}"}`;
    const asked = `${asking.slice(0, -1)},"stream_options":{"include_usage":true}}`;
    const isAsked = this.#way === 'asked for usage';
    const sent = post(CHAT, asking);
    const next = upstream.connections.length;
    this.#door.behind = SCENE_PLAYS;
    const client = await rawClient(this.gateway.port);
    client.write(sent.subarray(0, -20));
    await sleep(2);
    client.write(sent.subarray(-20));
    const connection = await upstream.connection(next);
    expect((await connection.message()).body.toString()).toBe(isAsked ? asked : asking);
    connection.write(streamed(isAsked ? USAGE_STREAM : PLAIN_STREAM));
    expect((await client.message()).body.toString()).toBe(PLAIN_STREAM);
    client.socket.destroy();
    this.#close();
    expect(await baseline.restored()).toMatchObject([{ outcome: 'complete', requested_model: model }]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway[Symbol.asyncDispose]();
    await this.#upstream[Symbol.asyncDispose]();
  }

  #close(): void {
    this.#door.behind = CLOSED;
    for (const { socket } of this.#upstream.connections) socket.destroy();
  }
}
