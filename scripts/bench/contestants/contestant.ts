import type { Child } from '../children.ts';
import type { Through } from '../load.ts';
import type { Site } from '../site.ts';

export interface Contestant {
  readonly name: string;
  /** What runs, with its version and what was set, for whoever reads the figures. Not asked where it is missing. */
  readonly about: (site: Site) => string;
  /** Null when it can run here, else a sentence that says what is missing. */
  readonly missing: (site: Site) => string | null;
  /** Ready when the promise is fulfilled. */
  readonly start: (site: Site) => Promise<Running>;
}

export interface Running extends Through {
  readonly name: string;
  readonly about: string;
  /** Null where nothing stands between client and upstream. */
  readonly child: Child | null;
}
