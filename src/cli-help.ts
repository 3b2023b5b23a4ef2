/** What the command line knows: from these tables it is parsed, and from these its help is written. */

export interface FlagSpec {
  /** What stands for the value in the help; null for a flag without one. */
  value: string | null;
  help: string;
}

export interface CommandSpec {
  summary: string;
  /** What stands for operands in the help; empty where there are none. */
  operands: string;
  flags: Readonly<Record<string, FlagSpec>>;
}

const listen = {
  value: 'HOST:PORT',
  help: 'where clients connect, 127.0.0.1:8080 by default; port 0 lets the system choose',
};
const admin = { value: 'HOST:PORT', help: 'metrics, health and the live page, 127.0.0.1:9464 by default' };
const json = { value: null, help: 'JSON instead of a table' };

export const COMMANDS = {
  serve: {
    summary: 'Relay and meter.',
    operands: '',
    flags: {
      upstream: { value: 'URL', help: 'the inference server; alone a complete configuration' },
      listen,
      admin,
      config: { value: 'FILE', help: 'configuration in YAML; flags and environment win over it' },
      workers: { value: 'N', help: 'relaying processes, 1 by default; more of them use more cores' },
    },
  },
  demo: {
    summary: 'A simulated engine, a load and the gateway in one process: a simulation to look at.',
    operands: '',
    flags: { listen, admin, for: { value: 'SECONDS', help: 'end after this time; without it, at Ctrl-C' } },
  },
  'check-config': {
    summary: 'Check a configuration: exit 0, or 2 with every fault at once and its place.',
    operands: 'FILE',
    flags: {},
  },
  'print-config': {
    summary: 'Print the effective configuration, every key with its value, secrets hidden.',
    operands: 'FILE',
    flags: {},
  },
  plan: {
    summary: 'GPUs and dollars for a number of tokens per day, from what was observed.',
    operands: '',
    flags: {
      admin: { value: 'URL', help: 'the admin port of one Pitot; its token in PITOT_ADMIN_TOKEN' },
      prometheus: { value: 'URL', help: 'or a Prometheus that scrapes several: its last 24 hours' },
      'tokens-per-day': { value: 'N', help: 'output tokens to produce each day' },
      'ttft-slo': {
        value: 'SECONDS',
        help: 'time to first token that 95 % of the requests must keep; by default what the workloads ask',
      },
      json,
    },
  },
  usage: {
    summary: 'Requests, tokens and speeds in usage logs, gzipped ones too; - is standard input.',
    operands: 'FILE…',
    flags: {
      by: { value: 'KEYS', help: 'what to group by, some of user,model,upstream,workload,day (in UTC)' },
      json,
    },
  },
} as const satisfies Readonly<Record<string, CommandSpec>>;

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES: readonly CommandName[] = ['serve', 'demo', 'check-config', 'print-config', 'plan', 'usage'];

const ENVIRONMENT = [
  'Environment: PITOT_UPSTREAM, PITOT_LISTEN, PITOT_ADMIN, PITOT_CONFIG, PITOT_ADMIN_TOKEN, PITOT_ADMIN_PUBLIC,',
  'PITOT_LOG_LEVEL. Flags win over the environment, the environment over the file.',
  'Exit codes: 0; 2 for configuration, flags or no upstream; 1 at run time (a port in use, say).',
];

/** The help of one command, or of all. */
export function helpText(topic: CommandName | null): string {
  return `${(topic === null ? overview() : commandHelp(topic, COMMANDS[topic])).join('\n')}\n`;
}

function overview(): string[] {
  return [
    'Pitot: the flow meter for LLM inference. A reverse proxy in front of an inference server that relays',
    'every byte untouched and measures system throughput and per-user speed live.',
    '',
    ...COMMAND_NAMES.map((name) => `  ${usageLine(name, COMMANDS[name]).padEnd(28)} ${COMMANDS[name].summary}`),
    `  ${'pitot --version'.padEnd(28)} The version.`,
    '',
    'pitot COMMAND --help tells more of a command.',
    ...ENVIRONMENT,
  ];
}

function commandHelp(name: CommandName, { summary, flags, ...spec }: CommandSpec): string[] {
  const rows = Object.entries(flags).map(([flag, { value, help }]) => [
    value === null ? `--${flag}` : `--${flag} ${value}`,
    help,
  ]);
  const width = Math.max(0, ...rows.map(([left = '']) => left.length));
  return [
    `${usageLine(name, { summary, flags, ...spec })}${rows.length > 0 ? ' [flags]' : ''}`,
    summary,
    ...(rows.length > 0 ? [''] : []),
    ...rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`),
    ...(name === 'serve' ? ['', ...ENVIRONMENT] : []),
  ];
}

const usageLine = (name: CommandName, { operands }: CommandSpec) =>
  `pitot ${name}${operands === '' ? '' : ` ${operands}`}`;
