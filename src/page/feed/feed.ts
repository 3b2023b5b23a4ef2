import type { HistoryEvent, SnapshotEvent } from '../../live/stream-type.ts';
import { failureOf, open } from './ask.ts';
import { afterFailure, type Connection, type Failure } from './connection.ts';
import { readEvents } from './read-events.ts';
import type { AdminToken } from './token.ts';

/** A snapshot comes each second, a heartbeat else: after so long a silence nothing more will come. */
const SILENCE_MS = 6_000;

export interface Listener {
  history(event: HistoryEvent): void;
  snapshot(event: SnapshotEvent): void;
  connection(connection: Connection): void;
}

/** Keeps one `/api/stream` open: after a break it goes on where it was, by the id of the last event. */
export class Feed {
  readonly #token: AdminToken;
  readonly #listener: Listener;
  #connection: Connection = { kind: 'connecting' };
  #lastEventId: string | null = null;
  #stream: AbortController | null = null;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(token: AdminToken, listener: Listener) {
    this.#token = token;
    this.#listener = listener;
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** Connects now, whatever it was waiting for. */
  connect(): void {
    clearTimeout(this.#retry);
    this.#stream?.abort();
    const stream = new AbortController();
    this.#stream = stream;
    if (this.#connection.kind === 'sign_in') this.#become({ kind: 'connecting' });
    void this.#follow(stream).then((failure) => {
      if (this.#stream === stream) this.#failed(failure);
    });
  }

  /** Connects now if it was waiting to: the network is there again, say. */
  hurry(): void {
    if (this.#connection.kind === 'lost') this.connect();
  }

  async #follow(stream: AbortController): Promise<Failure> {
    let silence = setTimeout(() => stream.abort(), SILENCE_MS);
    try {
      const headers = this.#lastEventId === null ? {} : { 'last-event-id': this.#lastEventId };
      const response = await open('api/stream', this.#token, { signal: stream.signal, headers });
      if (!response.ok || response.body === null) return await failureOf(response);
      const onLife = () => {
        clearTimeout(silence);
        silence = setTimeout(() => stream.abort(), SILENCE_MS);
      };
      await readEvents(response.body, { onLife, onEvent: (event) => this.#heard(event) });
      return { kind: 'ended' };
    } catch {
      return { kind: 'unreachable' };
    } finally {
      clearTimeout(silence);
    }
  }

  #heard({ id, event, data }: { id?: string | undefined; event?: string | undefined; data: string }): void {
    // The same build of the gateway wrote it: stream-type.ts is the one source of its shape.
    if (event === 'history') this.#listener.history(JSON.parse(data) as HistoryEvent);
    if (event === 'snapshot') this.#listener.snapshot(JSON.parse(data) as SnapshotEvent);
    this.#lastEventId = id ?? this.#lastEventId;
    if (this.#connection.kind !== 'live') this.#become({ kind: 'live' });
  }

  #failed(failure: Failure): void {
    const next = afterFailure(this.#connection, failure, { nowMs: Date.now(), hadToken: this.#token.isKnown });
    if (next.kind === 'lost') this.#retry = setTimeout(() => this.connect(), next.retryAtMs - Date.now());
    this.#become(next);
  }

  #become(connection: Connection): void {
    this.#connection = connection;
    this.#listener.connection(connection);
  }
}
