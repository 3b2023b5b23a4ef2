/**
 * The first `limit` UTF-16 units of a text, and never half a character: a lone surrogate has no UTF-8. What is
 * returned is a string of its own: a mere slice would keep all of the text, which others chose, in memory as long as itself.
 */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return copied(text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, ''));
}

/** V8 joins lazily and must copy the characters once the joined text is cut. */
const copied = (text: string) => `\0${text}`.slice(1);
