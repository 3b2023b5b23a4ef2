/** Four times a second (CONTRACT §7) a worker tells what was emitted. */
export const BEAT_MS = 250;
/** What changes a state is told so much later at most, so that what happens together goes together. */
export const SOON_MS = 10;
/**
 * How long the first process waits for what happened before and is told later: longer than a worker keeps
 * what cannot wait for the next beat, and its way here.
 */
export const PATIENCE_MS = 50;
/** What happened this long ago has been counted, on a machine that is not overloaded: live figures end here. */
export const LATENESS_MS = BEAT_MS + 2 * PATIENCE_MS;

/** A worker reports once a second at least; so often the first process looks whether it has. */
export const LOOK_EVERY_MS = 1_000;
/** So many looks in vain: it gets no new connections until it is heard again. */
export const LOOKS_UNTIL_SILENT = 10;
/** So many: it is killed and replaced. */
export const LOOKS_UNTIL_DEAD = 30;
