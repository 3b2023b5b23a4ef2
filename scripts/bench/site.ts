import type { Children } from './children.ts';

/** Where a run takes place: what its cases and contestants share. */
export interface Site {
  readonly children: Children;
  readonly upstreamPort: number;
  /** The `main.js` of the measured Pitot. */
  readonly pitot: string;
  readonly rounds: number;
  readonly seconds: number;
  /** Tells whoever waits what is being done. */
  readonly say: (line: string) => void;
}
