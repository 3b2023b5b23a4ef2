import { type Place, sourceOnly } from './faults.ts';
import type { Environment } from './substitute.ts';
import { replaceAt, type Tree, untyped } from './tree.ts';

/** What the command line may say of the configuration; null where it says nothing. */
export interface ConfigFlags {
  config: string | null;
  upstream: string | null;
  listen: string | null;
  admin: string | null;
  workers: string | null;
}

export const NO_FLAGS: ConfigFlags = { config: null, upstream: null, listen: null, admin: null, workers: null };

interface Override {
  flag: keyof ConfigFlags | null;
  variable: string | null;
  path: readonly string[];
}

/** Flags win over variables, variables over the file (CONTRACT §2). */
export const OVERRIDES: readonly Override[] = [
  { flag: 'listen', variable: 'PITOT_LISTEN', path: ['listen'] },
  { flag: 'admin', variable: 'PITOT_ADMIN', path: ['admin', 'listen'] },
  { flag: null, variable: 'PITOT_ADMIN_TOKEN', path: ['admin', 'token'] },
  { flag: null, variable: 'PITOT_ADMIN_PUBLIC', path: ['admin', 'public'] },
  { flag: 'workers', variable: null, path: ['workers'] },
  { flag: 'upstream', variable: 'PITOT_UPSTREAM', path: ['upstreams'] },
  { flag: null, variable: 'PITOT_LOG_LEVEL', path: ['log', 'level'] },
];

/** The tree of the file with flags and variables put in. A variable that is set but empty says nothing, as in Compose files. */
export function override(tree: Tree, flags: ConfigFlags, env: Environment): Tree {
  return OVERRIDES.reduce((result, { flag, variable, path }) => {
    const given = saidBy(flag, flags) ?? saidBy(variable, env);
    if (given === null) return result;
    const place = sourceOnly(given.name === flag ? `--${flag}` : given.name);
    const value = path[0] === 'upstreams' ? soleUpstream(given.text, place) : untyped(given.text, place);
    return replaceAt(result, path, value);
  }, tree);
}

function saidBy<Name extends string>(name: Name | null, values: Readonly<Partial<Record<Name, string | null>>>) {
  const text = name === null ? null : values[name];
  return name === null || text === null || text === undefined || text === '' ? null : { name, text };
}

/** `--upstream URL` stands for one upstream named `default` in place of the file's list. */
function soleUpstream(url: string, place: Place): Tree {
  const entry = (key: string, text: string) => ({ key, keyPlace: place, value: untyped(text, place), replaced: null });
  return {
    kind: 'list',
    place,
    items: [{ kind: 'map', place, entries: [entry('name', 'default'), entry('url', url)] }],
  };
}
