import type { FailureCount } from '../../live/request-snapshot.ts';
import { element } from '../dom/element.ts';
import { sizeTo, writeAttribute, writeText } from '../dom/write.ts';
import { OUTCOME_WORDS } from '../text/failures.ts';
import { whole } from '../text/format.ts';

/** How many failed by outcome: the last fifteen minutes, and since the start. */
export class FailureCounts {
  readonly #list: HTMLElement;

  constructor(list: HTMLElement) {
    this.#list = list;
  }

  write(counts: readonly FailureCount[]): void {
    sizeTo(this.#list, counts.length, newItem);
    counts.forEach(({ outcome, last_15_minutes: recent, total }, index) => {
      const [name, count, since] = this.#list.children[index]?.children ?? [];
      if (name === undefined || count === undefined || since === undefined) return;
      writeText(name, OUTCOME_WORDS[outcome]);
      writeText(count, whole(recent));
      writeText(since, `${whole(total)} since the start`);
      // That a client left says little of the gateway: it is no alarm.
      writeAttribute(count, 'data-quiet', recent === 0 || outcome === 'client_aborted' ? '' : null);
    });
  }
}

function newItem(): HTMLElement {
  return element('li', {}, [element('span'), element('b'), element('small')]);
}
