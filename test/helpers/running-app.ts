import { readdir, readFile } from 'node:fs/promises';
import { startApp } from '../../src/app.ts';
import { systemClock } from '../../src/clock.ts';
import { createLog } from '../../src/log.ts';
import { configOf, type UpstreamKeys } from './gateway.ts';
import { tempDir } from './temp-dir.ts';

export interface RunningAppOptions {
  upstreams: string | UpstreamKeys | UpstreamKeys[];
  /** Further top-level keys of the configuration. */
  config?: Record<string, unknown>;
  logLevel?: string;
}

/** The whole gateway in this process, both ports open, its log and usage log in files; closed with the test. */
export async function runningApp({ upstreams, config = {}, logLevel = 'trace' }: RunningAppOptions) {
  const folder = await tempDir();
  const log = createLog({ level: logLevel, destination: folder.file('process.log') });
  const keys = {
    admin: { listen: '127.0.0.1:0' },
    usage_log: { path: folder.file('usage.jsonl') },
    log: { level: logLevel },
    ...config,
  };
  const app = await startApp(configOf(upstreams, keys), {
    clock: systemClock,
    log,
    build: { version: '1.2.3', commit: 'abc' },
  });
  return {
    app,
    port: Number(app.listen.split(':').at(-1)),
    adminUrl: `http://${app.admin}`,
    usageLog: () => readFile(folder.file('usage.jsonl'), 'utf8'),
    /** Everything it ever wrote to a file. */
    async written(): Promise<string> {
      await log.close();
      const names = await readdir(folder.path);
      return (await Promise.all(names.map((name) => readFile(folder.file(name), 'utf8')))).join('\n');
    },
    async [Symbol.asyncDispose]() {
      await app.shutdown();
      await log.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
