import { parseArgs } from 'node:util';
import { COMMAND_NAMES, COMMANDS, type CommandName, type CommandSpec } from './cli-help.ts';
import { nearest } from './config/nearest.ts';
import type { ConfigFlags } from './config/overrides.ts';
import { type Source, sourceOf } from './plan/fetch-json.ts';
import { readPlanAsk } from './plan/plan-ask.ts';
import type { PlanAsk } from './plan/plan-types.ts';
import { GROUP_KEYS, type GroupKey } from './usage-report/group-keys.ts';

/** What the command line asks for. Flags of the configuration stay text: they are checked where the file is. */
export type Command =
  | { kind: 'serve'; flags: ConfigFlags }
  | { kind: 'demo'; flags: ConfigFlags; forSeconds: number | null }
  | { kind: 'check-config'; file: string }
  | { kind: 'print-config'; file: string }
  | { kind: 'usage'; files: readonly string[]; by: readonly GroupKey[]; isJson: boolean }
  | { kind: 'plan'; source: Source; ask: PlanAsk; isJson: boolean }
  | { kind: 'help'; topic: CommandName | null }
  | { kind: 'version' }
  /** One sentence on why nothing can be done; exit code 2. */
  | { kind: 'fault'; message: string };

/** Reads the arguments after the program's name. Pure: nothing is checked but the line itself. */
export function parseCommand(args: readonly string[]): Command {
  const [first, ...rest] = args;
  if (first === undefined)
    return fault(`expected a command (${COMMAND_NAMES.join(', ')}), got none; pitot --help tells more`);
  if (first === '--help' || first === '-h' || first === 'help') return helpOn(rest);
  if (first === '--version' || first === '-V') return { kind: 'version' };
  if (first.startsWith('-'))
    return fault(`expected a command before ${nameOf(first)}; did you mean "pitot serve ${nameOf(first)}"?`);
  const name = COMMAND_NAMES.find((known) => known === first);
  if (name !== undefined) return parseRest(name, rest);
  return fault(
    `expected one of the commands ${COMMAND_NAMES.join(', ')}, got "${first}"${hint(nearest(first, COMMAND_NAMES))}`,
  );
}

function helpOn([topic]: readonly string[]): Command {
  return { kind: 'help', topic: COMMAND_NAMES.find((known) => known === topic) ?? null };
}

/** The flags and operands that follow a command, or the first thing wrong with them. */
type Line =
  | { kind: 'line'; flags: ReadonlyMap<string, string>; operands: readonly string[] }
  | Extract<Command, { kind: 'fault' | 'help' }>;

function parseRest(name: CommandName, args: readonly string[]): Command {
  const line = readLine(name, args);
  if (line.kind !== 'line') return line;
  const spec: CommandSpec = COMMANDS[name];
  const problem = operandProblem(spec, line.operands);
  return problem === null ? commandOf(name, line.flags, line.operands) : fault(`pitot ${name}: ${problem}`);
}

function operandProblem(spec: CommandSpec, operands: readonly string[]): string | null {
  const wanted = spec.operands === '' ? 0 : 1;
  const most = spec.operands.endsWith('…') ? Number.POSITIVE_INFINITY : wanted;
  if (operands.length < wanted) return `expected ${spec.operands}, got nothing`;
  if (operands.length > most)
    return `expected ${wanted === 0 ? 'flags only' : `one ${spec.operands}`}, got "${operands[wanted]}" too`;
  return operands.includes('') ? `expected ${spec.operands}, got an empty name` : null;
}

function commandOf(name: CommandName, given: ReadonlyMap<string, string>, operands: readonly string[]): Command {
  const [file = ''] = operands;
  const flags = flagsOf(given);
  switch (name) {
    case 'serve':
      return { kind: 'serve', flags };
    case 'demo': {
      const seconds = given.get('for');
      const forSeconds = seconds === undefined ? null : Number(seconds);
      if (forSeconds === null || (forSeconds > 0 && Number.isFinite(forSeconds)))
        return { kind: 'demo', flags, forSeconds };
      return fault(`--for: expected a number of seconds above 0, got "${seconds}"`);
    }
    case 'check-config':
    case 'print-config':
      return { kind: name, file };
    case 'usage':
      return usageCommand(given, operands);
    case 'plan':
      return planCommand(given);
    default:
      return name satisfies never;
  }
}

function usageCommand(given: ReadonlyMap<string, string>, files: readonly string[]): Command {
  const by: GroupKey[] = [];
  for (const word of given.get('by')?.split(',') ?? []) {
    const key = GROUP_KEYS.find((known) => known === word);
    if (key === undefined)
      return fault(`--by: expected some of ${GROUP_KEYS.join(',')}, got "${word}"${hint(nearest(word, GROUP_KEYS))}`);
    if (by.includes(key)) return fault(`--by: expected every key once, got ${key} twice`);
    by.push(key);
  }
  return { kind: 'usage', files, by, isJson: given.has('json') };
}

function planCommand(given: ReadonlyMap<string, string>): Command {
  const admin = given.get('admin');
  const prometheus = given.get('prometheus');
  if ((admin === undefined) === (prometheus === undefined))
    return fault(
      `pitot plan: expected --admin URL or --prometheus URL, got ${admin === undefined ? 'neither' : 'both'}`,
    );
  const flag = admin === undefined ? '--prometheus' : '--admin';
  const source = sourceOf(flag, admin ?? prometheus ?? '');
  if (source === null) return fault(`${flag}: expected a URL such as http://127.0.0.1:9464, got something else`);
  const read = readPlanAsk(
    { tokensPerDay: given.get('tokens-per-day') ?? null, ttftSlo: given.get('ttft-slo') ?? null },
    { tokensPerDay: '--tokens-per-day', ttftSlo: '--ttft-slo' },
  );
  return read.kind === 'fault'
    ? fault(read.message)
    : { kind: 'plan', source, ask: read.ask, isJson: given.has('json') };
}

function flagsOf(given: ReadonlyMap<string, string>): ConfigFlags {
  const said = (name: keyof ConfigFlags) => given.get(name) ?? null;
  return {
    config: said('config'),
    upstream: said('upstream'),
    listen: said('listen'),
    admin: said('admin'),
    workers: said('workers'),
  };
}

function readLine(name: CommandName, args: readonly string[]): Line {
  const spec: CommandSpec = COMMANDS[name];
  const takesValue = (flag: string) => spec.flags[flag]?.value !== null;
  const options = Object.fromEntries(
    Object.keys(spec.flags).map((flag) => [
      flag,
      { type: takesValue(flag) ? ('string' as const) : ('boolean' as const) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const flags = new Map<string, string>();
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = token.rawName;
    if (flag === '--help' || flag === '-h') return { kind: 'help', topic: name };
    if (!flag.startsWith('--') || !Object.hasOwn(spec.flags, token.name)) return unknownFlag(name, flag);
    if (flags.has(token.name)) return fault(`${flag}: expected once, got twice`);
    const problem = valueProblem(token.value, {
      flag,
      spec: spec.flags[token.name]?.value ?? null,
      isInline: token.inlineValue === true,
    });
    if (problem !== null) return fault(problem);
    flags.set(token.name, token.value ?? '');
  }
  return { kind: 'line', flags, operands };
}

function valueProblem(
  value: string | undefined,
  flag: { flag: string; spec: string | null; isInline: boolean },
): string | null {
  if (flag.spec === null) return value === undefined ? null : `${flag.flag}: expected no value, got "${value}"`;
  if (value === undefined || value === '') return `${flag.flag}: expected ${flag.spec}, got nothing`;
  return value.startsWith('--') && !flag.isInline
    ? `${flag.flag}: expected ${flag.spec}, got the flag ${nameOf(value)}`
    : null;
}

function unknownFlag(name: CommandName, flag: string): Line {
  const known = [...Object.keys(COMMANDS[name].flags), 'help'];
  const near = nearest(flag.replace(/^-+/, ''), known);
  const list = known.map((one) => `--${one}`).join(', ');
  const expected = near !== null ? 'a known flag' : known.length === 1 ? `no flag but ${list}` : `one of ${list}`;
  return fault(`pitot ${name}: expected ${expected}, got "${flag}"${hint(near === null ? null : `--${near}`)}`);
}

/** A flag without its value: a value may be a secret typed in the wrong place. */
const nameOf = (argument: string) => argument.replace(/=.*$/s, '');
const hint = (near: string | null) => (near === null ? '' : `; did you mean "${near}"?`);
const fault = (message: string): { kind: 'fault'; message: string } => ({ kind: 'fault', message });
