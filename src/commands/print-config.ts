import { loadConfig } from '../config/load.ts';
import { NO_FLAGS } from '../config/overrides.ts';
import { printConfig } from '../config/redact.ts';
import { type ConfigCommand, lines } from './check-config.ts';

/** Writes the configuration that `serve --config FILE` would run with in this environment; exit code 0, or 2 with every fault. */
export function printConfigFile({ file, env, stdout, stderr }: ConfigCommand): number {
  const loaded = loadConfig({ ...NO_FLAGS, config: file }, env);
  if (loaded.kind === 'faulty') {
    stderr.write(lines(loaded.faults, ''));
    return 2;
  }
  stdout.write(printConfig(loaded.config));
  return 0;
}
