import type { PlanAsk } from './plan-types.ts';

/** So much of what is no number is said back: what it is shows at its beginning. */
const SHOWN = 50;

/** Reads numbers as flags and query parameters carry them; one sentence on the first that is none. `name` is how the asker calls it. */
export function readPlanAsk(
  given: { tokensPerDay: string | null; ttftSlo: string | null },
  names: { tokensPerDay: string; ttftSlo: string },
): { kind: 'ask'; ask: PlanAsk } | { kind: 'fault'; message: string } {
  const { tokensPerDay: tokens, ttftSlo } = given;
  if (tokens === null) return fault(`${names.tokensPerDay}: expected output tokens per day, got nothing`);
  const tokensPerDay = positive(tokens);
  if (tokensPerDay === null)
    return fault(`${names.tokensPerDay}: expected a number of tokens above 0, got "${tokens.slice(0, SHOWN)}"`);
  const ttftSloSeconds = ttftSlo === null ? null : positive(ttftSlo);
  if (ttftSlo !== null && ttftSloSeconds === null)
    return fault(`${names.ttftSlo}: expected a number of seconds above 0, got "${ttftSlo.slice(0, SHOWN)}"`);
  return { kind: 'ask', ask: { tokensPerDay, ttftSloSeconds } };
}

/** Digits, a point, an exponent (1e9); no blank, no hexadecimal. */
function positive(text: string): number | null {
  const value = /^[0-9]*\.?[0-9]+(e\+?[0-9]{1,3})?$/i.test(text) ? Number(text) : Number.NaN;
  return value > 0 && Number.isFinite(value) ? value : null;
}

const fault = (message: string) => ({ kind: 'fault', message }) as const;
