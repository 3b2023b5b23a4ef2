import { PIECE_UNITS } from '../src/tokens/pieces.ts';
import { countTexts } from '../src/tokens/sample.ts';
import { loadVocabulary } from '../src/tokens/vocabulary.ts';
import { longTexts } from './accuracy-corpus.ts';

/** How much of a text is counted before its budget is over. */
const SHARES = [0.06, 0.1, 0.25, 0.5];

/** What is left of accuracy when only a part is counted: a section of docs/ACCURACY.md. */
export async function samplesSection(): Promise<string[]> {
  const vocabulary = await loadVocabulary('o200k_base');
  const rows = longTexts().map(({ name, text }) => {
    const truth = vocabulary.count(text);
    const pieces = Math.ceil(text.length / PIECE_UNITS);
    const errors = SHARES.map((share) => {
      let left = Math.max(1, Math.round(share * pieces));
      const count = (piece: string) => {
        left -= 1;
        return vocabulary.count(piece);
      };
      const sampled = countTexts([text], {
        count,
        get isOver() {
          return left <= 0;
        },
      });
      return sampled === null ? 'too little' : percent((sampled.tokens[0] ?? 0) / truth - 1);
    });
    return `| ${[name, text.length.toLocaleString('en'), ...errors].join(' | ')} |`;
  });
  const shares = SHARES.map((share) => `${100 * share} % counted`);
  return [`| text | characters | ${shares.join(' | ')} |`, `|---|---|${'---|'.repeat(SHARES.length)}`, ...rows];
}

/** `+2.3 %`, `−0.1 %`, `0.0 %`. */
function percent(share: number): string {
  const rounded = Math.round(1_000 * share) / 10;
  const sign = rounded > 0 ? '+' : rounded < 0 ? '−' : '';
  return `${sign}${Math.abs(rounded).toFixed(1)} %`;
}
