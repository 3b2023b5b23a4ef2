import { systemClock } from '../clock.ts';
import type { Environment } from '../config/substitute.ts';
import { fetchJson, PlanFault, type Source } from '../plan/fetch-json.ts';
import { observedByPrometheus } from '../plan/from-prometheus.ts';
import { plansFor } from '../plan/plan.ts';
import { planTable } from '../plan/plan-table.ts';
import type { Plan, PlanAsk } from '../plan/plan-types.ts';
import { PrometheusApi } from '../plan/prometheus-api.ts';
import type { Output } from './check-config.ts';

export interface PlanCommand {
  source: Source;
  ask: PlanAsk;
  isJson: boolean;
  env: Environment;
  stdout: Output;
  stderr: Output;
}

/** `pitot plan`: GPUs and dollars for so many tokens a day. Exit code 0, or 1 with one sentence where there is nothing to plan with. */
export async function plan({ source, ask, isJson, env, stdout, stderr }: PlanCommand): Promise<number> {
  try {
    const plans = source.flag === '--admin' ? await byAdmin(source, ask, env) : await byPrometheus(source, ask);
    if (plans.length === 0)
      throw new PlanFault(
        `${source.flag} ${source.base}: no traffic was observed there that a plan could be made from`,
      );
    stdout.write(isJson ? `${JSON.stringify({ plans }, null, 2)}\n` : planTable(plans, ask));
    return 0;
  } catch (error) {
    if (!(error instanceof PlanFault)) throw error;
    stderr.write(`${error.message}\n`);
    return 1;
  }
}

async function byAdmin(source: Source, ask: PlanAsk, env: Environment): Promise<Plan[]> {
  const token = env['PITOT_ADMIN_TOKEN'] ?? '';
  const headers = token === '' ? source.headers : { authorization: `Bearer ${token}` };
  const query = new URLSearchParams({ tokens_per_day: String(ask.tokensPerDay) });
  if (ask.ttftSloSeconds !== null) query.set('ttft_slo', String(ask.ttftSloSeconds));
  const answer = await fetchJson({ ...source, headers }, `/api/plan?${query}`);
  const plans = typeof answer === 'object' && answer !== null && 'plans' in answer ? answer.plans : null;
  if (!Array.isArray(plans))
    throw new PlanFault(`${source.flag} ${source.base}: expected Pitot's admin port, got something else`);
  // What Pitot itself wrote, in this same version or one that keeps the contract.
  return plans as Plan[];
}

async function byPrometheus(source: Source, ask: PlanAsk): Promise<Plan[]> {
  const observed = await observedByPrometheus(new PrometheusApi(source), systemClock.epochMs() / 1000);
  return plansFor(observed, ask);
}
