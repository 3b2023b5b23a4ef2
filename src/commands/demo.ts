import { type App, startApp } from '../app.ts';
import { buildInfo } from '../build-info.ts';
import { systemClock } from '../clock.ts';
import { loadConfig, loadText } from '../config/load.ts';
import { type ConfigFlags, NO_FLAGS } from '../config/overrides.ts';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../config/substitute.ts';
import { type DemoGateway, runDemo } from '../demo/demo.ts';
import type { DemoConfig } from '../demo/demo-config.ts';
import { createLog, type Log } from '../log.ts';
import { keepYoungGeneration } from '../v8-flags.ts';
import { lines, type Output } from './check-config.ts';
import { listenFault } from './listen-fault.ts';
import { stopSignal } from './stop-signal.ts';

export interface DemoCommand {
  flags: ConfigFlags;
  forSeconds: number | null;
  env: Environment;
  stdout: NodeJS.WriteStream;
  stderr: Output;
}

/** Stands for the embedded engine while only the ports are asked for; nothing is ever sent there. */
const NO_ENGINE = 'http://127.0.0.1:9';

/** `pitot demo`: a simulated engine, a load and the gateway, in one process. Exit codes as for `serve`. */
export async function demo({ flags, forSeconds, env, stdout, stderr }: DemoCommand): Promise<number> {
  const asked = loadConfig({ ...NO_FLAGS, listen: flags.listen, admin: flags.admin, upstream: NO_ENGINE }, env);
  if (asked.kind === 'faulty') {
    stderr.write(lines(asked.faults, ''));
    return 2;
  }
  const stop = new AbortController();
  void stopSignal().then(() => stop.abort());
  try {
    return await runDemo({
      listen: asked.config.listen,
      admin: asked.config.admin.listen,
      forSeconds,
      startGateway: (config) => startGateway(config, asked.config),
      stop: stop.signal,
      output: stdout,
      environment: env,
    });
  } catch (error) {
    const sentence = listenFault(error);
    if (sentence === null) throw error;
    stderr.write(`${sentence}\n`);
    return 1;
  }
}

/** The demo's own configuration, under the admin rules that were asked for: an open port needs them to be accepted at all. */
async function startGateway(demoConfig: DemoConfig, { admin }: Config): Promise<DemoGateway> {
  const env = { PITOT_ADMIN_TOKEN: admin.token ?? '', PITOT_ADMIN_PUBLIC: String(admin.public) };
  const loaded = loadText('pitot demo', JSON.stringify(demoConfig), { flags: NO_FLAGS, env });
  if (loaded.kind === 'faulty') throw new Error(lines(loaded.faults, ''));
  const { config } = loaded;
  const log = createLog({ level: config.log.level });
  keepYoungGeneration();
  const app = await startApp(config, { clock: systemClock, log, build: buildInfo(), simulation: true });
  log.listening({ listen: app.listen, admin: app.admin, version: buildInfo().version, simulation: true });
  return gatewayOf(app, log);
}

function gatewayOf(app: App, log: Log): DemoGateway {
  return {
    listen: app.listen,
    admin: app.admin,
    snapshot: () => app.snapshot(),
    async close() {
      await app.shutdown();
      await log.close();
    },
  };
}
