/** npm hands a terminal's Ctrl-C to a process that the terminal has already given it to: a SIGINT this soon is the same one. */
const SAME_KEYSTROKE_MS = 300;

/** Resolves at the first SIGTERM or SIGINT with its name. A second one ends the process at once, with code 1. */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let stoppingSinceMs: number | null = null;
    const onSignal = (signal: string) => {
      const nowMs = performance.now();
      if (stoppingSinceMs === null) {
        stoppingSinceMs = nowMs;
        resolve(signal);
      } else if (signal !== 'SIGINT' || nowMs - stoppingSinceMs > SAME_KEYSTROKE_MS) process.exit(1);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}
