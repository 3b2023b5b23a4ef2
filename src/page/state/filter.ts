import type { Snapshot } from '../../live/snapshot-type.ts';

/** Null: all of them. */
export interface Filter {
  upstream: string | null;
  model: string | null;
}

interface Placed {
  upstream: string | null;
  model: string | null;
}

export function passes(filter: Filter, { upstream, model }: Placed): boolean {
  return (
    (filter.upstream === null || filter.upstream === upstream) && (filter.model === null || filter.model === model)
  );
}

/** What can be chosen: what the snapshot names, and what is chosen now, though it may have gone. */
export function choices(snapshot: Snapshot, filter: Filter): { upstreams: string[]; models: string[] } {
  const upstreams = new Set(snapshot.upstreams.map(({ name }) => name));
  const models = new Set(snapshot.upstreams.flatMap((upstream) => upstream.models.map(({ model }) => model)));
  for (const { model } of snapshot.requests) if (model !== null) models.add(model);
  if (filter.upstream !== null) upstreams.add(filter.upstream);
  if (filter.model !== null) models.add(filter.model);
  return { upstreams: [...upstreams].sort(), models: [...models].sort() };
}
