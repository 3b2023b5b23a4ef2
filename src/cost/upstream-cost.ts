/** What one upstream cost since the start, in dollars. */
export interface UpstreamCost {
  /** At the rate of this moment; null while nothing flows. */
  dollars_per_million_output_tokens: number | null;
  gpu_dollars_per_hour: number;
  gpu_dollars_total: number;
  /** The part of it while no request was in flight. */
  idle_dollars_total: number;
  /** The part of the rest that went into tokens for nobody; null before the first token. */
  wasted_dollars_total: number | null;
  /** What the same tokens cost at the reference price; null where no model of it has one. */
  reference_dollars_total: number | null;
}
