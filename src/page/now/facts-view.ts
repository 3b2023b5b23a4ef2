import type { Snapshot } from '../../live/snapshot-type.ts';
import { byId } from '../dom/element.ts';
import { writeAttribute, writeText } from '../dom/write.ts';
import { whole } from '../text/format.ts';
import { costFact, type Fact, goodputFact, inFlightFact, ttftFacts } from './facts.ts';
import { inFlightTotal } from './headline.ts';

const PHASES = ['decode', 'unstreamed', 'prefill'] as const;

/** The strip of smaller figures under the two big ones. */
export class FactsView {
  readonly #facts = new Map(
    ['ttft-p50', 'ttft-p95', 'in-flight', 'goodput', 'cost'].map((name) => [
      name,
      { value: byId(`${name}-value`, HTMLElement), note: byId(`${name}-note`, HTMLElement) },
    ]),
  );
  readonly #bar = byId('in-flight-bar', HTMLElement);
  readonly #counts = PHASES.map((phase) => ({ phase, node: byId(`in-flight-${phase}`, HTMLElement) }));

  write(snapshot: Snapshot): void {
    const ttft = ttftFacts(snapshot);
    this.#write('ttft-p50', ttft.p50);
    this.#write('ttft-p95', ttft.p95);
    this.#write('in-flight', inFlightFact(snapshot));
    this.#write('goodput', goodputFact(snapshot));
    this.#write('cost', costFact(snapshot));
    this.#writePhases(snapshot);
  }

  #write(name: string, { value, isAbsent, note }: Fact): void {
    const fact = this.#facts.get(name);
    if (fact === undefined) return;
    writeText(fact.value, value);
    writeAttribute(fact.value, 'data-absent', isAbsent ? '' : null);
    writeText(fact.note, note);
  }

  #writePhases(snapshot: Snapshot): void {
    const total = inFlightTotal(snapshot);
    for (const { phase, node } of this.#counts) {
      const count = snapshot.in_flight[phase];
      writeText(node, whole(count));
      this.#bar.style.setProperty(`--part-${phase}`, String(total === 0 ? 0 : count / total));
    }
  }
}
