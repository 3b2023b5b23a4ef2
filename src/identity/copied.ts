/**
 * The text as a string of its own. A part of a text (a slice, a match) keeps the whole of it, a megabyte
 * perhaps, in memory for as long as it is remembered; V8 joins lazily, and must copy the characters once the joined text is cut.
 */
export function copied(text: string): string {
  return `\0${text}`.slice(1);
}
