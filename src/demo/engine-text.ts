/** What the simulated engine answers: whoever reads it must see that no model wrote it. */
const SENTENCES =
  'This answer is simulated by the demo engine of Pitot. No model wrote it. ' +
  'Each word stands for one token, and only its timing is of interest.';

const WORDS = SENTENCES.split(' ');

/** `tokens` words from the word number `from` on, one word a token, ready to be appended to what came before. */
export function simulatedText(from: number, tokens: number): string {
  let text = '';
  for (let index = from; index < from + tokens; index += 1) {
    text += `${index === 0 ? '' : ' '}${WORDS[index % WORDS.length] ?? ''}`;
  }
  return text;
}
