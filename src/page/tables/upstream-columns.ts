import type { UpstreamSnapshot } from '../../live/upstream-snapshot.ts';
import { labelled, lengths } from '../text/conditions.ts';
import { dollars, NO_FIGURE, percent, rate, whole } from '../text/format.ts';
import { UPSTREAM_FACES } from '../text/states.ts';
import type { Column, Look } from './column.ts';

export const UPSTREAM_COLUMNS: readonly Column<UpstreamSnapshot>[] = [
  { key: 'name', title: 'Upstream', sortBy: ({ name }) => name, text: ({ name }) => name },
  {
    key: 'state',
    title: 'State',
    sortBy: ({ state }) => UPSTREAM_FACES[state].word,
    text: ({ state }) => UPSTREAM_FACES[state].word,
    look: ({ state }) => UPSTREAM_FACES[state],
  },
  {
    key: 'in_flight',
    title: 'In flight',
    isNumber: true,
    firstDescending: true,
    sortBy: ({ in_flight: inFlight }) => inFlight,
    text: ({ in_flight: inFlight }) => whole(inFlight),
  },
  {
    key: 'throughput',
    title: 'Tok/s',
    explained: 'System throughput over the last 10 seconds',
    isNumber: true,
    firstDescending: true,
    sortBy: ({ tokens_per_second: rated }) => rated,
    text: (row) => rate(flowing(row, row.tokens_per_second)),
  },
  {
    key: 'per_gpu',
    title: 'Per GPU',
    isNumber: true,
    shownFrom: 'wide',
    firstDescending: true,
    sortBy: ({ tokens_per_second_per_gpu: rated }) => rated,
    text: (row) => rate(flowing(row, row.tokens_per_second_per_gpu)),
  },
  {
    key: 'floor',
    title: 'Of its floor',
    explained: 'Throughput of the last minute as a share of the configured floor; counts only while there is demand',
    isNumber: true,
    sortBy: ({ floor }) => floor?.share ?? null,
    text: ({ floor }) => (floor === null ? NO_FIGURE : floor.has_demand ? percent(floor.share) : 'no demand'),
    look: ({ floor }) => toneOfShare(floor?.share ?? null),
  },
  {
    key: 'capacity',
    title: 'Of max under SLO',
    explained: 'Throughput as a share of the most at which every workload kept its targets, as observed so far',
    isNumber: true,
    shownFrom: 'wide',
    firstDescending: true,
    sortBy: shareOfMax,
    text: (row) => percent(shareOfMax(row)),
    look: (row) => ({ share: shareOfMax(row) }),
  },
  {
    key: 'cost',
    title: '$ per M tokens',
    isNumber: true,
    shownFrom: 'wide',
    firstDescending: true,
    sortBy: ({ cost }) => cost?.dollars_per_million_output_tokens ?? null,
    text: ({ cost }) => dollars(cost?.dollars_per_million_output_tokens ?? null),
  },
  {
    key: 'conditions',
    title: 'Conditions',
    explained: 'What its throughput must not be compared without',
    sortBy: ({ conditions }) => labelled(conditions),
    text: conditionsOf,
  },
];

/** 0 of an upstream that has nothing to do is no figure. */
function flowing({ tokens_per_second: rated, in_flight: inFlight }: UpstreamSnapshot, figure: number | null) {
  return rated > 0 || inFlight > 0 ? figure : null;
}

/** Of the strictest workload; null where that was not observed yet, or nothing flows. */
export function shareOfMax(row: UpstreamSnapshot): number | null {
  const most = Math.min(...row.max_under_slo.map(({ tokens_per_second: rated }) => rated));
  return Number.isFinite(most) && most > 0 ? flowing(row, row.tokens_per_second / most) : null;
}

function toneOfShare(share: number | null): Look {
  return share === null ? {} : { share, tone: share < 1 ? 'bad' : 'good' };
}

function conditionsOf(row: UpstreamSnapshot): string {
  const gpus = row.gpus === null ? '' : `${row.gpus} ${row.gpus === 1 ? 'GPU' : 'GPUs'}`;
  return [gpus, labelled(row.conditions), lengths(row)].filter((part) => part !== '').join(' · ') || NO_FIGURE;
}
