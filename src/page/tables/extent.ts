import type { Snapshot } from '../../live/snapshot-type.ts';
import { inFlightTotal } from '../now/headline.ts';
import { whole } from '../text/format.ts';

/** How many rows there are beyond those that are here. */
export interface Extent {
  /** Of these, as many as are shown are told. */
  total: number;
  /** Behind the number, where the rows are a choice. */
  remark?: string;
  /** Another sentence where there are none. */
  empty?: string | undefined;
}

/**
 * What is sent are the slowest requests, and where there are more, a filter can choose among those only: that none is
 * left then does not say that none runs. `passed`: how many a filter left; null: there is none.
 */
export function requestsExtent(snapshot: Pick<Snapshot, 'in_flight' | 'requests'>, passed: number | null): Extent {
  const total = inFlightTotal(snapshot);
  if (passed === null) return { total };
  const sent = snapshot.requests.length;
  if (sent === 0) return { total: passed };
  if (sent >= total) return { total: passed, empty: 'No request is left by the filter.' };
  const among = `the ${whole(sent)} slowest of ${whole(total)} requests`;
  return { total: passed, remark: `, among ${among}`, empty: `The filter leaves none of ${among}.` };
}
