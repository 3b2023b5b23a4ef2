import { describe, expect, it } from 'vitest';
import { parseCommand } from '../../../src/cli.ts';
import { COMMAND_NAMES, COMMANDS, helpText } from '../../../src/cli-help.ts';
import { NO_FLAGS } from '../../../src/config/overrides.ts';

const parse = (line: string) => parseCommand(line.split(' ').filter((part) => part !== ''));
const messageOf = (line: string) => {
  const command = parse(line);
  return command.kind === 'fault' ? command.message : `no fault: ${command.kind}`;
};

describe('a command line', () => {
  it.each([
    ['serve', { kind: 'serve', flags: NO_FLAGS }],
    ['serve --upstream http://a:1', { kind: 'serve', flags: { ...NO_FLAGS, upstream: 'http://a:1' } }],
    ['serve --upstream=http://a:1?x=y', { kind: 'serve', flags: { ...NO_FLAGS, upstream: 'http://a:1?x=y' } }],
    [
      'serve --config f --listen 127.0.0.1:0 --admin [::1]:0 --workers 1',
      {
        kind: 'serve',
        flags: { config: 'f', listen: '127.0.0.1:0', admin: '[::1]:0', workers: '1', upstream: null },
      },
    ],
    ['demo', { kind: 'demo', flags: NO_FLAGS, forSeconds: null }],
    ['demo --for 2.5 --listen a:1', { kind: 'demo', flags: { ...NO_FLAGS, listen: 'a:1' }, forSeconds: 2.5 }],
    ['check-config f.yaml', { kind: 'check-config', file: 'f.yaml' }],
    ['check-config -- --odd', { kind: 'check-config', file: '--odd' }],
    ['print-config f.yaml', { kind: 'print-config', file: 'f.yaml' }],
    ['usage a.jsonl', { kind: 'usage', files: ['a.jsonl'], by: [], isJson: false }],
    ['usage a b - --by day,user --json', { kind: 'usage', files: ['a', 'b', '-'], by: ['day', 'user'], isJson: true }],
    [
      'plan --admin 127.0.0.1:9464 --tokens-per-day 1e8 --json',
      {
        kind: 'plan',
        source: { flag: '--admin', base: 'http://127.0.0.1:9464', headers: {} },
        ask: { tokensPerDay: 1e8, ttftSloSeconds: null },
        isJson: true,
      },
    ],
    [
      'plan --prometheus https://p.example/prometheus/ --tokens-per-day 50000 --ttft-slo .5',
      {
        kind: 'plan',
        source: { flag: '--prometheus', base: 'https://p.example/prometheus', headers: {} },
        ask: { tokensPerDay: 50_000, ttftSloSeconds: 0.5 },
        isJson: false,
      },
    ],
    ['--version', { kind: 'version' }],
    ['-V', { kind: 'version' }],
    ['--help', { kind: 'help', topic: null }],
    ['-h', { kind: 'help', topic: null }],
    ['help', { kind: 'help', topic: null }],
    ['help demo', { kind: 'help', topic: 'demo' }],
    ['serve --help', { kind: 'help', topic: 'serve' }],
    ['plan -h', { kind: 'help', topic: 'plan' }],
  ])('%s is understood', (line, command) => {
    expect(parse(line)).toEqual(command);
  });

  it.each([
    ['', 'expected a command (serve, demo, check-config, print-config, plan, usage), got none'],
    ['srve', 'did you mean "serve"?'],
    ['chekconfig f', 'did you mean "check-config"?'],
    ['frobnicate', 'expected one of the commands serve, demo,'],
    ['--upstream http://a:1', 'expected a command before --upstream; did you mean "pitot serve --upstream"?'],
    ['serve --upstrem http://a:1', 'expected a known flag, got "--upstrem"; did you mean "--upstream"?'],
    ['serve --verbosity 3', 'expected one of --upstream, --listen, --admin, --config, --workers, --help'],
    ['check-config f --json', 'expected no flag but --help, got "--json"'],
    ['serve -u http://a:1', 'got "-u"'],
    ['serve --upstream', '--upstream: expected URL, got nothing'],
    ['serve --upstream=', '--upstream: expected URL, got nothing'],
    ['serve --upstream --listen a:1', '--upstream: expected URL, got the flag --listen'],
    ['serve --listen a:1 --listen b:2', '--listen: expected once, got twice'],
    ['serve http://a:1', 'pitot serve: expected flags only, got "http://a:1" too'],
    ['check-config', 'pitot check-config: expected FILE, got nothing'],
    ['print-config a b', 'pitot print-config: expected one FILE, got "b" too'],
    ['demo --for', '--for: expected SECONDS, got nothing'],
    ['demo --for soon', '--for: expected a number of seconds above 0, got "soon"'],
    ['demo --for 0', '--for: expected a number of seconds above 0, got "0"'],
    ['demo --for -1', '--for: expected a number of seconds above 0, got "-1"'],
    ['demo --for Infinity', '--for: expected a number of seconds above 0, got "Infinity"'],
    ['demo --upstream http://a:1', 'pitot demo: expected one of --listen, --admin, --for, --help, got "--upstream"'],
    ['plan --tokens-per-day 1e9', 'pitot plan: expected --admin URL or --prometheus URL, got neither'],
    ['plan --admin a:1 --prometheus b:1 --tokens-per-day 1e9', 'got both'],
    ['plan --admin a:1', '--tokens-per-day: expected output tokens per day, got nothing'],
    ['plan --admin a:1 --tokens-per-day many', '--tokens-per-day: expected a number of tokens above 0, got "many"'],
    ['plan --admin a:1 --tokens-per-day 0', '--tokens-per-day: expected a number of tokens above 0, got "0"'],
    ['plan --admin a:1 --tokens-per-day 1 --ttft-slo 500ms', '--ttft-slo: expected a number of seconds above 0'],
    ['plan --admin ftp://a --tokens-per-day 1', '--admin: expected a URL such as http://127.0.0.1:9464'],
    ['plan --prometheus http://a/?x=1 --tokens-per-day 1', '--prometheus: expected a URL'],
    ['plan extra --admin a:1 --tokens-per-day 1', 'expected flags only, got "extra" too'],
    ['plan --tokens-per-dy 1e9', 'did you mean "--tokens-per-day"?'],
    ['usage', 'pitot usage: expected FILE…, got nothing'],
    [
      'usage a --by users',
      '--by: expected some of user,model,upstream,workload,day, got "users"; did you mean "user"?',
    ],
    ['usage a --by user,modle', 'got "modle"; did you mean "model"?'],
    ['usage a --by colour', '--by: expected some of user,model,upstream,workload,day, got "colour"'],
    ['usage a --by user,', '--by: expected some of user,model,upstream,workload,day, got ""'],
    ['usage a --by user,day,user', '--by: expected every key once, got user twice'],
    ['usage a --by', '--by: expected KEYS, got nothing'],
    ['usage a --json=yes', '--json: expected no value, got "yes"'],
  ])('%j is refused with one sentence', (line, sentence) => {
    expect(messageOf(line)).toContain(sentence);
    expect(messageOf(line)).not.toContain('\n');
  });

  it('an empty file name is none', () => {
    for (const line of [
      ['check-config', ''],
      ['usage', ''],
      ['usage', 'a', ''],
    ])
      expect(parseCommand(line)).toMatchObject({ kind: 'fault', message: expect.stringContaining('an empty name') });
  });

  it('a value in the wrong place is not repeated: it may be a secret', () => {
    expect(parseCommand(['--token=canary'])).toEqual(expect.not.stringContaining('canary'));
    expect(JSON.stringify(parseCommand(['serve', '--tokn=canary']))).not.toContain('canary');
    expect(JSON.stringify(parseCommand(['serve', '--upstream', '--token=canary']))).not.toContain('canary');
  });
});

describe('the help', () => {
  it('names every command, and every variable that serve reads', () => {
    for (const name of COMMAND_NAMES) expect(helpText(null)).toContain(`pitot ${name}`);
    for (const name of ['UPSTREAM', 'LISTEN', 'ADMIN', 'CONFIG', 'ADMIN_TOKEN', 'ADMIN_PUBLIC', 'LOG_LEVEL']) {
      expect(helpText('serve')).toContain(`PITOT_${name}`);
    }
  });

  it.each(COMMAND_NAMES)('of %s names every flag it has', (name) => {
    for (const flag of Object.keys(COMMANDS[name].flags)) expect(helpText(name)).toContain(`--${flag}`);
  });

  it('fits a terminal', () => {
    const texts = [helpText(null), ...COMMAND_NAMES.map(helpText)];
    expect(texts.flatMap((text) => text.split('\n')).filter((line) => line.length > 120)).toEqual([]);
  });
});
