import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Children } from './children.ts';

/** What every measuring script does around its measurement: options, a build, and nothing left running. */

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Asked {
  readonly help: boolean;
  /** A build that is there; null: one is made. */
  readonly pitot: string | null;
}

export interface Measuring<O extends Asked> {
  /** @throws Error with a sentence for whoever typed them. */
  readonly read: () => O;
  readonly usage: string;
  /** After the usage, for `--help`. */
  readonly more?: string;
  readonly run: (options: O, children: Children) => Promise<void>;
}

/** Runs it to its end or until it is interrupted, and stops whatever it started. */
export async function measure<O extends Asked>({ read, usage, more = '', run }: Measuring<O>): Promise<void> {
  const options = optionsOrExit(read, usage, more);
  const children = new Children();
  let isInterrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      isInterrupted = true;
      void children.stopAll().finally(() => process.exit(130));
    });
  }
  try {
    if (options.pitot === null) build();
    await run(options, children);
  } catch (error) {
    // What is stopped by an interrupt fails: that is no news.
    if (!isInterrupted) console.error(sentenceOf(error));
    process.exitCode = isInterrupted ? 130 : 1;
  }
  await children.stopAll();
}

/** @throws Error when the sources do not compile. */
function build(): void {
  const { status } = spawnSync(process.execPath, [`${ROOT}scripts/build.mjs`], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('Pitot could not be built; --pitot MAIN.JS measures a build that is there.');
}

function optionsOrExit<O extends Asked>(read: () => O, usage: string, more: string): O {
  try {
    const options = read();
    if (!options.help) return options;
    console.log(usage + more);
    process.exit(0);
  } catch (error) {
    console.error(`${sentenceOf(error)}\n\n${usage}`);
    process.exit(2);
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
