import type { WorkloadConfig } from '../config/schema.ts';
import { slosOf } from '../identity/workload.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Series } from '../ledger/series.ts';
import type { Slo } from '../meter/record.ts';
import { TARGETED_SLOS } from '../meter/slo.ts';
import { SLOS } from './catalog/slos.ts';
import type { MetricSet } from './metric-set.ts';
import { seconds, valuesW } from './recording.ts';

/** The workloads as configured now. */
type Workloads = () => readonly WorkloadConfig[];

/** What a client may leave before it is known (CONTRACT §6.9); the others are judged on what came. */
const MAY_BE_UNDECIDED: ReadonlySet<Slo> = new Set<Slo>(['ttft', 'e2e', 'all']);

/** Verdicts from the ledger, and the targets they rest on from the configuration. */
export function readVerdicts(set: MetricSet, ledger: Ledger, workloads: Workloads): void {
  set.beforeScrape(() => ledger.findOverdue());
  const slosOfSeries = (series: Series) => slosIn(series, workloads());
  set.live(SLOS.sloRequests, (emit) => {
    for (const series of ledger.series()) {
      for (const slo of slosOfSeries(series)) {
        const { good, bad } = series.verdicts.of(slo);
        emit([...valuesW(series.labels), slo, 'good'], good);
        emit([...valuesW(series.labels), slo, 'bad'], bad);
      }
    }
  });
  set.live(SLOS.sloUndecided, (emit) => {
    for (const series of ledger.series()) {
      for (const slo of slosOfSeries(series)) {
        if (MAY_BE_UNDECIDED.has(slo)) emit([...valuesW(series.labels), slo], series.verdicts.of(slo).undecided);
      }
    }
  });
  set.live(SLOS.goodOutputTokens, (emit) => {
    for (const series of ledger.series()) {
      if (slosOfSeries(series).length > 0) emit(valuesW(series.labels), series.verdicts.goodOutputTokens);
    }
  });
  readTargets(set, workloads);
}

/** What its workload can be judged on, from 0 on, and what it could before a reload took it out of the configuration. */
function slosIn({ labels, hasGenerated, verdicts }: Series, workloads: readonly WorkloadConfig[]): Slo[] {
  const workload = hasGenerated ? workloads.find(({ name }) => name === labels.workload) : undefined;
  const configured = workload === undefined ? [] : slosOf(workload);
  return [...new Set([...configured, ...verdicts.known()])];
}

function readTargets(set: MetricSet, workloads: Workloads): void {
  set.live(SLOS.sloObjective, (emit) => {
    for (const { name, slo } of workloads()) {
      for (const target of TARGETED_SLOS) emit([name, target], slo[target] === null ? null : slo.objective);
    }
  });
  set.live(SLOS.sloThreshold, (emit) => {
    for (const { name, slo } of workloads()) {
      for (const target of TARGETED_SLOS) {
        const ms = target === 'speed' ? null : slo[target];
        emit([name, target], ms === null ? null : seconds(ms));
      }
    }
  });
  set.live(SLOS.sloMinSpeed, (emit) => {
    for (const { name, slo } of workloads()) emit([name], slo.speed);
  });
}
