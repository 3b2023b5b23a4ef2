import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../clock.ts';
import { EngineLoop } from './engine-loop.ts';
import { EngineModel, type EngineTruth } from './engine-model.ts';
import { DEMO_PROFILE, type EngineProfile } from './engine-profile.ts';
import { type EngineSite, routeToEngine } from './engine-routes.ts';
import { seededRandom } from './random.ts';

/** Longer than a proxy in front keeps idle connections (CONTRACT §3 `keep_alive`: 4 s), so that it never meets one we closed. */
const KEEP_ALIVE_MS = 30_000;

export interface DemoEngineOptions {
  profile?: Partial<EngineProfile>;
  /** The same seed and the same requests at the same times give the same steps. */
  seed?: number;
  /** Loopback port; 0 (the default) takes a free one. */
  port?: number;
  clock?: Clock;
}

export interface DemoEngine {
  /** Without a path: `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly profile: EngineProfile;
  /** What the engine really did so far. */
  truth(): EngineTruth;
  /** Breaks open streams and frees the port. */
  close(): Promise<void>;
}

/** Starts the simulated engine on loopback, speaking OpenAI's HTTP API. Rejects when the port is taken. */
export async function startDemoEngine(options: DemoEngineOptions = {}): Promise<DemoEngine> {
  const { seed = 1, port = 0, clock = systemClock } = options;
  const model = new EngineModel({ ...DEMO_PROFILE, ...options.profile }, seed);
  const loop = new EngineLoop(model, clock);
  const site: EngineSite = { model, loop, clock, random: seededRandom(seed + 1), answers: 0 };
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 }, (request, response) => {
    response.setHeader('server', 'pitot-demo-engine');
    response.on('error', () => response.destroy());
    routeToEngine(site, request, response);
  });
  await listenOnLoopback(server, port);
  // A TCP server's address is an object, never a pipe's name.
  const { port: realPort } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${realPort}`,
    profile: model.profile,
    truth: () => model.truth(),
    close: async () => {
      loop.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listenOnLoopback(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}
