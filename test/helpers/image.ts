import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** Instructions of the Dockerfile in order, continued lines joined, comments left out. */
export const IMAGE_INSTRUCTIONS: readonly Instruction[] = readFileSync(
  fileURLToPath(new URL('../../Dockerfile', import.meta.url)),
  'utf8',
)
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => ({ word: line.split(' ')[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }));

/** Where each stage begins. */
export const IMAGE_STAGES = IMAGE_INSTRUCTIONS.flatMap(({ word }, index) => (word === 'FROM' ? [index] : []));

/** What the last stage says with this word, in order. */
export const finalStage = (word: string): string[] =>
  IMAGE_INSTRUCTIONS.slice(IMAGE_STAGES.at(-1))
    .filter((line) => line.word === word)
    .map((line) => line.rest);

/** The environment that the image starts with. */
export const imageEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  finalStage('ENV').flatMap((line) => line.split(/\s+/).map((pair) => pair.split('=', 2))),
);

/** NAME=value lines, as Compose and Docker read them. */
export function environmentOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => line.split('=', 2)));
}

/** The last part of an address or of a published port. */
export const portOf = (address: string | undefined): string | undefined => address?.split(':').at(-1);
