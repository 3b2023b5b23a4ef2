import type { FailureSnapshot, RequestSnapshot } from '../../live/request-snapshot.ts';
import type { Snapshot, UserSnapshot } from '../../live/snapshot-type.ts';
import type { UpstreamSnapshot } from '../../live/upstream-snapshot.ts';
import { byId } from '../dom/element.ts';
import { type Filter, passes } from '../state/filter.ts';
import type { TableName } from '../state/view-query.ts';
import type { ViewState } from '../state/view-state.ts';
import type { Column } from './column.ts';
import { DataTable } from './data-table.ts';
import { requestsExtent } from './extent.ts';
import { FAILURE_COLUMNS } from './failure-columns.ts';
import { FailureCounts } from './failure-counts.ts';
import { REQUEST_COLUMNS } from './request-columns.ts';
import { UPSTREAM_COLUMNS } from './upstream-columns.ts';
import { USER_COLUMNS } from './user-columns.ts';

/** The four tables, under one filter. */
export class TablesView {
  readonly #state: ViewState;
  readonly #upstreams: DataTable<UpstreamSnapshot>;
  readonly #requests: DataTable<RequestSnapshot>;
  readonly #users: DataTable<UserSnapshot>;
  readonly #failures: DataTable<FailureSnapshot>;
  readonly #counts = new FailureCounts(byId('failure-counts', HTMLElement));

  constructor(state: ViewState) {
    const table = <Row>(name: TableName, columns: readonly Column<Row>[], { firstRows, empty }: Size): DataTable<Row> =>
      new DataTable({ name, section: byId(name, HTMLElement), columns, state, firstRows, empty });
    this.#state = state;
    this.#upstreams = table('upstreams', UPSTREAM_COLUMNS, { firstRows: 20, empty: 'No upstream here.' });
    this.#requests = table('requests', REQUEST_COLUMNS, { firstRows: 12, empty: 'Nothing is running.' });
    this.#users = table('users', USER_COLUMNS, { firstRows: 12, empty: 'Nobody was seen in the last hour.' });
    this.#failures = table('failures', FAILURE_COLUMNS, { firstRows: 8, empty: 'Nothing has failed.' });
  }

  write(snapshot: Snapshot): void {
    const filter = this.#state.view;
    const isAll = filter.upstream === null && filter.model === null;
    const requests = snapshot.requests.filter((row) => passes(filter, row));
    const failures = snapshot.failures.filter((row) => passes(filter, row));
    this.#upstreams.write(snapshot.upstreams.filter((row) => isOf(filter, row)));
    this.#requests.write(requests, requestsExtent(snapshot, isAll ? null : requests.length));
    // A user is of no upstream and no model: it is always shown.
    this.#users.write(snapshot.users);
    const isHidden = failures.length < snapshot.failures.length;
    this.#failures.write(failures, {
      total: failures.length,
      empty: isHidden ? 'No failure is left by the filter.' : undefined,
    });
    this.#counts.write(snapshot.failure_counts);
  }
}

interface Size {
  firstRows: number;
  empty: string;
}

function isOf(filter: Filter, { name, models }: UpstreamSnapshot): boolean {
  if (filter.upstream !== null && filter.upstream !== name) return false;
  return filter.model === null || models.some(({ model }) => model === filter.model);
}
