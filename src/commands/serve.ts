import { type App, startApp } from '../app.ts';
import { buildInfo } from '../build-info.ts';
import { systemClock } from '../clock.ts';
import { type Fault, formatFault } from '../config/faults.ts';
import { type Loaded, loadConfig } from '../config/load.ts';
import type { ConfigFlags } from '../config/overrides.ts';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../config/substitute.ts';
import { createLog, type Log } from '../log.ts';
import { keepYoungGeneration } from '../v8-flags.ts';
import { lines, type Output } from './check-config.ts';
import { listenFault } from './listen-fault.ts';
import { stopSignal } from './stop-signal.ts';

export interface ServeCommand {
  flags: ConfigFlags;
  env: Environment;
  stderr: Output;
}

/** `pitot serve`: runs until a signal ends it. Exit code 0, 1 at run time, 2 for a faulty configuration (CONTRACT §2). */
export async function serve({ flags, env, stderr }: ServeCommand): Promise<number> {
  const loaded = loadConfig(flags, env);
  const faults = faultsOf(loaded);
  if (faults.length > 0 || loaded.kind === 'faulty') {
    stderr.write(lines(faults, ''));
    return 2;
  }
  const { config } = loaded;
  const log = createLog({ level: config.log.level });
  for (const warning of loaded.warnings) log.logger.warn(formatFault(warning));
  // Signals are heard before the ports are announced: who reads that line may send one at once.
  const stopping = stopSignal();
  const starting = start(config, log, stderr);
  let isStopped = false;
  // Never taken off again: without a listener, a SIGHUP that comes late would kill the process.
  process.on('SIGHUP', async () => {
    const app = await starting;
    if (app !== null && !isStopped) reload({ app, log, flags, env, running: config });
  });
  const app = await starting;
  if (app === null) return 1;
  announce(app, config, log);
  const signal = await stopping;
  log.logger.info({ signal }, 'shutting down: streams in flight may finish');
  await app.shutdown();
  isStopped = true;
  log.logger.info('stopped');
  await log.close();
  return 0;
}

/** To run a configuration, the files it names must be there. */
function faultsOf(loaded: Loaded): Fault[] {
  return loaded.kind === 'faulty' ? loaded.faults : loaded.unreadable;
}

async function start(config: Config, log: Log, stderr: Output): Promise<App | null> {
  keepYoungGeneration();
  try {
    return await startApp(config, { clock: systemClock, log, build: buildInfo() });
  } catch (error) {
    const sentence = listenFault(error) ?? (error instanceof Error ? error.message : String(error));
    stderr.write(`${sentence}\n`);
    return null;
  }
}

function announce(app: App, config: Config, log: Log): void {
  const { version } = buildInfo();
  const upstreams = config.upstreams.map(({ name, url }) => ({ name, url }));
  log.listening({ listen: app.listen, admin: app.admin, version, upstreams });
}

/** What only a restart can change. */
function fixedFrom(config: Config) {
  return { listen: config.listen, admin: config.admin.listen, workers: config.workers };
}

interface Reload {
  app: App;
  log: Log;
  flags: ConfigFlags;
  env: Environment;
  running: Config;
}

/** A faulty configuration is refused, loudly, and the old one stays. */
function reload({ app, log, flags, env, running }: Reload): void {
  const loaded = loadConfig(flags, env);
  const faults = faultsOf(loaded);
  if (faults.length > 0 || loaded.kind === 'faulty') {
    app.reloadFailed();
    log.logger.error({ faults: faults.map(formatFault) }, 'configuration refused: the old one stays');
    return;
  }
  try {
    app.reload(loaded.config);
  } catch (error) {
    app.reloadFailed();
    log.logger.error({ err: error }, 'configuration refused: the old one stays');
    return;
  }
  for (const warning of loaded.warnings) log.logger.warn(formatFault(warning));
  if (JSON.stringify(fixedFrom(loaded.config)) !== JSON.stringify(fixedFrom(running))) {
    log.logger.warn('listen, admin.listen and workers change at a restart only');
  }
  log.logger.info('configuration read again');
}
