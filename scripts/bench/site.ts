import type { Children } from './children.ts';

/** Where a run takes place: what its cases and contestants share. */
export interface Site {
  readonly children: Children;
  readonly upstreamPort: number;
  /** The `main.js` of the measured Pitot. */
  readonly pitot: string;
  /** The `main.js` of another build, to be measured beside. */
  readonly against: string | null;
  /** Other Node programs to run Pitot on. */
  readonly nodes: readonly string[];
  /** The folder in which Portkey's gateway was installed. */
  readonly portkey: string | null;
  /** Names of the contestants that take part; null = all. */
  readonly only: readonly string[] | null;
  /** For a first look: fewer contestants, and short measurements. */
  readonly isQuick: boolean;
  readonly rounds: number;
  readonly seconds: number;
  /** Of each contestant before the rounds, unmeasured. */
  readonly warmUpSeconds: number;
  /**
   * Of each measurement, unmeasured: while a contestant stood by, a collection at rest has thrown away compiled code,
   * and the system has taken pages back. A relay at work meets neither.
   */
  readonly leadSeconds: number;
  /** Tells whoever waits what is being done. */
  readonly say: (line: string) => void;
}
