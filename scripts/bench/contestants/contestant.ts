import type { Child } from '../children.ts';
import type { Target } from '../load-stream.ts';
import type { Site } from '../site.ts';

export interface Contestant {
  readonly name: string;
  /** Null when it can run here, else a sentence that says what is missing. */
  readonly missing: (site: Site) => string | null;
  /** Ready when the promise is fulfilled. */
  readonly start: (site: Site) => Promise<Running>;
}

export interface Running {
  readonly name: string;
  readonly target: Target;
  /** Null where nothing stands between client and upstream. */
  readonly child: Child | null;
}
