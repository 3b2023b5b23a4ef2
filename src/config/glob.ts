/** A longer name matches no glob: matching several `*` against a megabyte of it would hold everybody up. */
const MAX_NAME_LENGTH = 512;

/** Whether a name matches a glob of the configuration: `*` stands for any characters, `?` for one. */
export type Glob = (name: string) => boolean;

export function globOf(glob: string): Glob {
  const source = glob
    .replace(/[\\^$.+()[\]{}|]/g, '\\$&')
    .replaceAll(/\*+/g, '.*')
    .replaceAll('?', '.');
  const pattern = new RegExp(`^${source}$`, 'su');
  return (name) => name.length <= MAX_NAME_LENGTH && pattern.test(name);
}
