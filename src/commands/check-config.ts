import { type Fault, formatFault } from '../config/faults.ts';
import { loadConfig } from '../config/load.ts';
import { NO_FLAGS } from '../config/overrides.ts';
import type { Environment } from '../config/substitute.ts';

/** Where a command writes; `process.stdout` and `process.stderr` are such. */
export interface Output {
  write(text: string): unknown;
}

export interface ConfigCommand {
  file: string;
  env: Environment;
  stdout: Output;
  stderr: Output;
}

/** Exit code 0, or 2 with every fault at once on stderr. What is allowed but hardly meant is a warning, and no fault. */
export function checkConfig({ file, env, stdout, stderr }: ConfigCommand): number {
  const loaded = loadConfig({ ...NO_FLAGS, config: file }, env);
  if (loaded.kind === 'faulty') {
    stderr.write(lines(loaded.faults, ''));
    return 2;
  }
  stderr.write(lines([...loaded.warnings, ...loaded.unreadable], 'warning: '));
  stdout.write(`${file}: the configuration is sound\n`);
  return 0;
}

/** One line for each. */
export function lines(faults: readonly Fault[], prefix: string): string {
  return faults.map((fault) => `${formatFault({ ...fault, message: prefix + fault.message })}\n`).join('');
}
