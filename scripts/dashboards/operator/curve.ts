import { BUSY, CONCURRENCY_AT_MAX, MAX_UNDER_SLO } from '../capacity.ts';
import { CONCURRENCY_TO_THROUGHPUT, THROUGHPUT_TO_SPEED } from '../curve.ts';
import type { Row } from '../panel.ts';

export const CURVE: Row = {
  title: 'Where on its operating curve each upstream stands',
  panels: [CONCURRENCY_TO_THROUGHPUT, THROUGHPUT_TO_SPEED, MAX_UNDER_SLO, CONCURRENCY_AT_MAX, BUSY],
};
