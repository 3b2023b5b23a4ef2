import { buildInfo } from './build-info.ts';
import { parseCommand } from './cli.ts';
import { helpText } from './cli-help.ts';
import { checkConfig } from './commands/check-config.ts';
import { demo } from './commands/demo.ts';
import { plan } from './commands/plan.ts';
import { printConfigFile } from './commands/print-config.ts';
import { serve } from './commands/serve.ts';
import { usage } from './commands/usage.ts';

/** Runs one command and resolves to the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  endWithReader();
  const { env, stdin, stdout, stderr } = process;
  const command = parseCommand(args);
  switch (command.kind) {
    case 'serve':
      return await serve({ flags: command.flags, env, stderr });
    case 'demo':
      return await demo({ flags: command.flags, forSeconds: command.forSeconds, env, stdout, stderr });
    case 'check-config':
      return checkConfig({ file: command.file, env, stdout, stderr });
    case 'print-config':
      return printConfigFile({ file: command.file, env, stdout, stderr });
    case 'usage':
      return await usage({ ...command, stdin, stdout, stderr });
    case 'plan':
      return await plan({ ...command, env, stdout, stderr });
    case 'help':
      stdout.write(helpText(command.topic));
      return 0;
    case 'version':
      stdout.write(`pitot ${buildInfo().version}\n`);
      return 0;
    case 'fault':
      stderr.write(`${command.message}\n`);
      return 2;
    default:
      return command satisfies never;
  }
}

/** A reader that has seen enough (`pitot usage FILE | head`) is no fault; any other failure of standard output is said. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`cannot write to standard output: ${error.code}\n`);
    process.exit(1);
  });
}
