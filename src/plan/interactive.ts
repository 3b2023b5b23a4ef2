import { type Fared, fared, highest, LEAST_FIRST_TOKENS, LEAST_WINDOWS } from '../curve/max-under-slo.ts';
import type { CurveBin } from '../curve/operating-curve.ts';
import type { Asked, PlanAsk } from './plan-types.ts';

/** What is asked of one workload, or of all requests of the model where none has targets. */
interface Question {
  workload: string | null;
  ttftMs: number | null;
  minSpeed: number | null;
}

/** Nothing is extrapolated: an answer is a bin that was observed, or there is none. */
export function interactiveOf(
  model: string,
  bins: readonly CurveBin[],
  asked: Asked,
): { bin: CurveBin | null; reason: string } {
  const questions = questionsOf(model, bins, asked);
  if (questions.length === 0)
    return {
      bin: null,
      reason: 'interactive: no workload of this model has a TTFT, TPOT or speed target, and none was given',
    };
  const target = targetName(asked.ask);
  const points = judgedTogether(bins, questions, model);
  const known = points.filter(({ verdict }) => verdict !== 'thin');
  const best = highest(known.filter(({ verdict }) => verdict === 'met'));
  const [lowest] = known;
  const last = known.at(-1);
  if (lowest === undefined || last === undefined) {
    const least = `${LEAST_WINDOWS} windows and ${LEAST_FIRST_TOKENS} first tokens`;
    return { bin: null, reason: `interactive: no concurrency was observed for at least ${least}` };
  }
  if (best === null) {
    const reason = `interactive: ${target} is not met at any observed concurrency, ${lowest.bin.concurrency} being the lowest that was observed for long enough`;
    return { bin: null, reason };
  }
  const isLast = best.bin === last.bin && last.verdict === 'met';
  const reason = isLast
    ? `interactive: ${target} is still met at ${last.bin.concurrency}, the highest concurrency that was observed for long enough: how much more is possible is not known`
    : `interactive: ${target} is met at ${best.bin.concurrency}`;
  return { bin: best.bin, reason };
}

/** The targets of the workloads that stream from this model; a TTFT that was asked for takes the place of theirs. */
function questionsOf(model: string, bins: readonly CurveBin[], { observed, ask }: Asked): Question[] {
  const ttftMs = ask.ttftSloSeconds === null ? null : ask.ttftSloSeconds * 1000;
  const questions = observed.targets
    .filter(({ workload }) =>
      bins.some(({ series }) =>
        series.some((one) => one.model === model && one.workload === workload && one.firstTokens >= 1),
      ),
    )
    .map((targets) => ({ ...targets, ttftMs: ttftMs ?? targets.ttftMs }));
  return questions.length > 0 || ttftMs === null ? questions : [{ workload: null, ttftMs, minSpeed: null }];
}

/** A bin is good for all or not: where too little is known of one that is known elsewhere, nothing is known of the bin. */
function judgedTogether(bins: readonly CurveBin[], questions: readonly Question[], model: string): Fared[] {
  const judge = (bin: CurveBin, question: Question) =>
    fared(bin, question, (one) => one.model === model && (question.workload ?? one.workload) === one.workload);
  const told = questions.filter((question) => bins.some((bin) => judge(bin, question).verdict !== 'thin'));
  return bins.flatMap((bin) => {
    const points = told.map((question) => judge(bin, question));
    const worst = ['missed', 'thin', 'met'].map((verdict) => points.find((point) => point.verdict === verdict));
    return worst.find((point) => point !== undefined) ?? [];
  });
}

function targetName({ ttftSloSeconds }: PlanAsk): string {
  return ttftSloSeconds === null ? 'the SLO' : `a TTFT of ${ttftSloSeconds} s for 95 % of the requests`;
}
