import * as Value from 'typebox/value';
import { type Finding, findFaults } from './check.ts';
import { type Fault, type Place, sortFaults, sourceOnly } from './faults.ts';
import { readText } from './file-text.ts';
import { findUnreadableFiles } from './named-files.ts';
import { type ConfigFlags, override } from './overrides.ts';
import { TreeReader } from './read.ts';
import { type Config, configSchema } from './schema.ts';
import type { Environment } from './substitute.ts';
import { parseYaml } from './syntax.ts';
import type { Tree } from './tree.ts';
import { findUnreachable } from './unreachable.ts';

export type Loaded =
  /** `unreadable`: files it names that cannot be read here. */
  | { kind: 'loaded'; config: Config; warnings: Fault[]; unreadable: Fault[] }
  /** In the order of the file; at least one. */
  | { kind: 'faulty'; faults: Fault[] };

/** The effective configuration: flags over environment over file over defaults, or everything that is wrong with it. */
export function loadConfig(flags: ConfigFlags, env: Environment): Loaded {
  const file = flags.config ?? (env['PITOT_CONFIG'] || null);
  if (file === null)
    return readTree({ kind: 'map', place: sourceOnly('pitot'), entries: [] }, { flags, env, faults: [] });
  const read = readText(file);
  if (read.kind === 'unreadable') {
    const place: Place = { source: file, line: read.line, column: null };
    return { kind: 'faulty', faults: [{ place, path: null, message: read.message, suggestion: null }] };
  }
  return loadText(file, read.text, { flags, env });
}

/** The same from a text that is already there; `file` is how faults call it. */
export function loadText(file: string, text: string, given: { flags: ConfigFlags; env: Environment }): Loaded {
  const { tree, faults } = parseYaml(file, text, given.env);
  return tree === null ? { kind: 'faulty', faults } : readTree(tree, { ...given, faults });
}

function readTree(tree: Tree, given: { flags: ConfigFlags; env: Environment; faults: readonly Fault[] }): Loaded {
  const reader = new TreeReader(given.env);
  const value = reader.read(configSchema, override(tree, given.flags, given.env), '');
  const config = Value.Decode(configSchema, value);
  const findings = findFaults(config).filter(({ paths }) => paths.every((path) => isSound(path, reader)));
  const faults = [...given.faults, ...reader.faults, ...findings.map((finding) => faultOf(finding, reader))];
  if (faults.length > 0) return { kind: 'faulty', faults: sortFaults(faults) };
  const place = (found: Finding[]) => sortFaults(found.map((finding) => faultOf(finding, reader)));
  const warnings = place(findUnreachable(config));
  return { kind: 'loaded', config, warnings, unreadable: place(findUnreadableFiles(config)) };
}

/** A rule is not judged on a value that stands in for a faulty one. */
function isSound(path: string, reader: TreeReader): boolean {
  return ![...reader.standIns].some(
    (faulty) => faulty === '' || path === faulty || path.startsWith(`${faulty}.`) || path.startsWith(`${faulty}[`),
  );
}

function faultOf({ paths: [path], message }: Finding, reader: TreeReader): Fault {
  const place = reader.places.get(path) ?? reader.places.get('') ?? sourceOnly('pitot');
  return { place, path, message, suggestion: null };
}
