import { fileURLToPath } from 'node:url';
import { Child } from './child.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** The product as users run it: the built program in a process of its own. */
export class PitotProcess extends Child {
  listen = '';
  admin = '';

  /** Any command line, which may well fail. */
  static run(args: readonly string[], env: Record<string, string> = {}): PitotProcess {
    return new PitotProcess(process.execPath, [MAIN, ...args], env);
  }

  /** `pitot serve`, on free ports unless these are given; resolves when it is ready. */
  static async serve(args: readonly string[], env: Record<string, string> = {}): Promise<PitotProcess> {
    const ports = ['--listen', '--admin'].filter((flag) => !args.includes(flag));
    const pitot = PitotProcess.run(['serve', ...ports.flatMap((flag) => [flag, '127.0.0.1:0']), ...args], env);
    const ready = JSON.parse(await pitot.line((line) => line.includes('"msg":"listening"')));
    pitot.listen = ready.listen;
    pitot.admin = ready.admin;
    return pitot;
  }

  get url(): string {
    return `http://${this.listen}`;
  }

  async metrics(): Promise<string> {
    const answer = await fetch(`http://${this.admin}/metrics`);
    return await answer.text();
  }

  /** The sum over all series of one metric whose labels contain `having`. */
  async metric(name: string, having = ''): Promise<number> {
    const lines = (await this.metrics()).split('\n');
    const own = lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    return own
      .filter((line) => line.includes(having))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  /** The usage records on standard output, with `usage_log: { path: "-" }`. */
  get records(): Record<string, unknown>[] {
    return this.stdout
      .filter((line) => line.startsWith('{') && !line.includes('"msg":'))
      .map((line) => JSON.parse(line));
  }
}
