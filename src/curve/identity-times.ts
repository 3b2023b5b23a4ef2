/** What one upstream was when, over reloads. Asked in the order of time, so that what is past is forgotten. */
export class IdentityTimes<Identity> {
  /** By rising time: which identity began then; null: none that is metered. */
  readonly #changes: { fromMs: number; identity: Identity | null; key: string | null }[] = [];

  /** `key` tells one identity from another. */
  change(identity: Identity | null, key: string | null, fromMs: number): void {
    if ((this.#changes.at(-1)?.key ?? null) === key) return;
    this.#changes.push({ fromMs, identity, key });
  }

  /** The one in force all the time between; null where it changed, or there was none. */
  throughout(fromMs: number, toMs: number): Identity | null {
    const [first, second] = this.#changes;
    if (first === undefined || fromMs < first.fromMs) return null;
    if (second === undefined || toMs <= second.fromMs) return first.identity;
    if (fromMs < second.fromMs) return null;
    this.#changes.shift();
    return this.throughout(fromMs, toMs);
  }
}
