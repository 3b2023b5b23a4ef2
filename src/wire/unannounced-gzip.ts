/** How gzip begins. Some servers compress and do not say so (FAULTS B59); no answer of text or frames begins like this. */
const FIRST_BYTE = 0x1f;

/** What the first read of an answer tells, however short it is. */
export function beginsLikeGzip(bytes: Uint8Array): boolean {
  return bytes[0] === FIRST_BYTE;
}
