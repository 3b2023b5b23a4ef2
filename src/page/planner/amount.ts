const STEPS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9, b: 1e9, t: 1e12 };

/** An amount as people write it: 100000000, 100,000,000, 100e6, 100M, 2.5 G. Null where it is none above zero. */
export function readAmount(text: string): number | null {
  const [, digits, step] = /^([0-9][0-9,_ ]*\.?[0-9]*(?:e\+?[0-9]{1,2})?) ?([kmgbt]?)$/i.exec(text.trim()) ?? [];
  if (digits === undefined || step === undefined) return null;
  const value = Number(digits.replace(/[,_ ]/g, '')) * (STEPS[step.toLowerCase()] ?? 1);
  return Number.isFinite(value) && value > 0 ? value : null;
}

/** What of the planner's fields can be asked, or which of them cannot be read. */
export type Asked =
  | { kind: 'nothing' }
  | { kind: 'fault'; field: 'tokens' | 'ttft'; sentence: string }
  | { kind: 'ask'; path: string };

export function planAsk({ tokensPerDay, ttftSlo }: { tokensPerDay: string; ttftSlo: string }): Asked {
  if (tokensPerDay.trim() === '') return { kind: 'nothing' };
  const tokens = readAmount(tokensPerDay);
  if (tokens === null) {
    return { kind: 'fault', field: 'tokens', sentence: 'Tokens per day: a number above 0, such as 100M or 100e6.' };
  }
  const query = new URLSearchParams({ tokens_per_day: String(tokens) });
  if (ttftSlo.trim() !== '') {
    const seconds = readAmount(ttftSlo);
    if (seconds === null)
      return { kind: 'fault', field: 'ttft', sentence: 'TTFT target: seconds above 0, such as 0.5.' };
    query.set('ttft_slo', String(seconds));
  }
  return { kind: 'ask', path: `api/plan?${query}` };
}
