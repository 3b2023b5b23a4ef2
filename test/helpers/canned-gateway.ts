import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ADMIN_HEADERS } from '../../src/gateway/admin-guard.ts';
import { readPage } from '../../src/gateway/page-files.ts';
import type { Snapshot } from '../../src/live/snapshot-type.ts';
import type { PointSeries, Points } from '../../src/live/stream-type.ts';
import { NO_POINTS } from './no-points.ts';

const PAGE = fileURLToPath(new URL('../../dist/page', import.meta.url));
const SERIES = Object.keys(NO_POINTS);

/** The built page in front of a gateway that says whatever a test wants it to. */
export class CannedGateway implements AsyncDisposable {
  /** What `/api/plan` answers, when the test lets it. */
  plan: (response: ServerResponse) => void = (response) => response.end('{"plans":[]}');
  pagesServed = 0;
  readonly #server = createServer((request, response) => this.#answer(request, response));
  readonly #streams = new Set<ServerResponse>();
  #second = 1_000;
  #first: Snapshot | null = null;

  async start(first: Snapshot): Promise<string> {
    this.#first = first;
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    // A TCP server's address is no string.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** To every page that watches, and first of all to those that come later. */
  tell(snapshot: Snapshot): void {
    this.#first = snapshot;
    this.raw(this.#event(snapshot));
  }

  /** Any bytes at all, to every page that watches. */
  raw(bytes: string | Uint8Array): void {
    for (const stream of this.#streams) stream.write(bytes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer({ url = '/' }: IncomingMessage, response: ServerResponse): void {
    const [path = '/'] = url.split('?', 1);
    const file = readPage(PAGE).get(path);
    for (const [name, value] of Object.entries(ADMIN_HEADERS)) response.setHeader(name, value);
    if (path === '/') this.pagesServed += 1;
    if (file !== undefined) response.setHeader('content-type', file.type).end(file.plain);
    else if (path === '/api/plan') this.plan(response);
    else if (path === '/api/operating-curve') response.end('{"curves":[]}');
    else if (path === '/api/stream' && this.#first !== null) this.#stream(response, this.#first);
    else response.writeHead(404).end();
  }

  #stream(response: ServerResponse, first: Snapshot): void {
    this.#streams.add(response);
    response.once('close', () => this.#streams.delete(response));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(this.#event(first));
  }

  #event(snapshot: Snapshot): string {
    this.#second += 1;
    const points = pointsOf(this.#second * 1_000);
    return `id: canned.${this.#second}\nevent: snapshot\ndata: ${JSON.stringify({ ...snapshot, points })}\n\n`;
  }
}

function pointsOf(startMs: number): Points {
  // Every name of a series has a column of one point.
  const series = Object.fromEntries(SERIES.map((name) => [name, [null]])) as unknown as PointSeries;
  return { start_ms: startMs, step_ms: 1_000, count: 1, series };
}
