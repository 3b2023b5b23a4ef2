import { readPlanAsk } from './plan-ask.ts';
import type { PlanAsk } from './plan-types.ts';

const NAMES = { tokensPerDay: 'tokens_per_day', ttftSlo: 'ttft_slo' } as const;

/** The answer to `/api/plan?tokens_per_day=N&ttft_slo=S`: 400 with one sentence where the query cannot be understood. */
export function answerPlanQuery(
  query: URLSearchParams,
  plan: (ask: PlanAsk) => unknown,
): { status: number; body: unknown } {
  const known: readonly string[] = Object.values(NAMES);
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) return fault(`expected tokens_per_day and ttft_slo only, got "${unknown.slice(0, 50)}"`);
  const read = readPlanAsk({ tokensPerDay: query.get(NAMES.tokensPerDay), ttftSlo: query.get(NAMES.ttftSlo) }, NAMES);
  return read.kind === 'fault' ? fault(read.message) : { status: 200, body: plan(read.ask) };
}

const fault = (error: string) => ({ status: 400, body: { error } });
