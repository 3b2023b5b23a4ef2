import type { Duplex } from 'node:stream';
import type { Ending } from '../meter/outcome.ts';
import type { UpgradedClient } from './upgraded-client.ts';

/** What is still on its way when one side has ended gets this long to arrive. */
const FLUSH_MS = 5_000;

export interface TunnelParts {
  client: UpgradedClient;
  upstream: Duplex;
  /** The header fields of the upstream's 101, as they were sent. */
  agreement: readonly Buffer[];
  fromUpstream(bytes: Buffer): void;
  /** Called once: the side that ended first decides. */
  onEnd(kind: TunnelEnd, fromClientBytes: number): void;
}

type TunnelEnd = Extract<Ending['kind'], 'upstream_end' | 'upstream_reset' | 'client_left'>;

/** Two connections that are one: bytes pass both ways as they are, and where one side ends, both do. */
export class Tunnel {
  readonly #parts: TunnelParts;
  #fromClientBytes: number;
  #isOver = false;

  constructor(parts: TunnelParts) {
    this.#parts = parts;
    const { upstream, agreement, fromUpstream } = parts;
    const client = parts.client.socket;
    const early = parts.client.take();
    client.write(switchingHead(agreement), 'latin1');
    upstream.write(early);
    this.#fromClientBytes = early.length;
    this.#pump(client, upstream, (bytes) => {
      this.#fromClientBytes += bytes.length;
    });
    this.#pump(upstream, client, fromUpstream);
    this.#watch(client, 'client_left', 'client_left');
    this.#watch(upstream, 'upstream_end', 'upstream_reset');
  }

  /** Ends both sides at once. */
  destroy(): void {
    this.#isOver = true;
    this.#parts.client.socket.destroy();
    this.#parts.upstream.destroy();
  }

  #pump(from: Duplex, to: Duplex, count: (bytes: Buffer) => void): void {
    from.on('data', (bytes: Buffer) => {
      if (!to.write(bytes)) from.pause();
      count(bytes);
    });
    to.on('drain', () => from.resume());
    from.resume();
  }

  #watch(side: Duplex, ended: TunnelEnd, cut: TunnelEnd): void {
    side.once('end', () => this.#end(ended));
    side.on('error', () => this.#end(cut));
    // Destroyed without an end: nothing more will come either way.
    side.once('close', () => this.#end(cut));
  }

  #end(kind: TunnelEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { client, upstream, onEnd } = this.#parts;
    const sides = [client.socket, upstream];
    const timer = setTimeout(() => this.destroy(), FLUSH_MS).unref();
    for (const side of sides) {
      side.once('close', () => {
        if (sides.every(({ destroyed }) => destroyed)) clearTimeout(timer);
      });
      side.end(() => side.destroy());
    }
    onEnd(kind, this.#fromClientBytes);
  }
}

function switchingHead(fields: readonly Buffer[]): string {
  let head = 'HTTP/1.1 101 Switching Protocols\r\n';
  for (let at = 0; at + 1 < fields.length; at += 2) {
    head += `${fields[at]?.toString('latin1')}: ${fields[at + 1]?.toString('latin1')}\r\n`;
  }
  return `${head}\r\n`;
}
