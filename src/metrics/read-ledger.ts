import type { Clock } from '../clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { PHASES } from '../meter/record.ts';
import { REQUESTS } from './catalog/requests.ts';
import { TOKENS } from './catalog/tokens.ts';
import type { MetricSet } from './metric-set.ts';

/** The live counts, read from the ledger when a scrape asks. */
export function readLedger(set: MetricSet, ledger: Ledger, clock: Clock): void {
  set.live(TOKENS.outputTokens, (emit) => {
    for (const { labels, outputTokens } of ledger.series()) {
      emit([labels.upstream, labels.model, labels.workload], outputTokens);
    }
  });
  set.live(TOKENS.withheldTokens, (emit) => {
    for (const { labels, withheld } of ledger.series()) emit([labels.upstream, labels.model], withheld);
  });
  set.live(TOKENS.settledTokens, (emit) => {
    for (const { upstream, model, settledAdded, settledWithheld } of ledger.models()) {
      emit([upstream, model, 'added'], settledAdded);
      emit([upstream, model, 'withheld'], settledWithheld);
    }
  });
  set.live(REQUESTS.requestsInFlight, (emit) => {
    for (const { labels, inFlight } of ledger.series()) {
      for (const phase of PHASES) emit([labels.upstream, labels.model, labels.workload, phase], inFlight[phase]);
    }
  });
  set.live(REQUESTS.requestPhaseSeconds, (emit) => {
    const nowMs = clock.nowMs();
    for (const series of ledger.series()) {
      const { upstream, model, workload } = series.labels;
      for (const phase of PHASES) emit([upstream, model, workload, phase], series.phaseSeconds(phase, nowMs));
    }
  });
}
