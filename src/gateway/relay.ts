import type { Config } from '../config/schema.ts';

/** Where clients connect, whether one process relays or several. */
export interface Relay {
  /** Resolves to the `HOST:PORT` really bound. Rejects with the system's error, as when the port is in use. */
  listen(): Promise<string>;
  /** Takes effect for the next request. Throws, changing nothing, when an upstream's URL or CA file cannot be read. */
  replaceConfig(config: Config): void;
  /** From now on answers close their connections; everything is still served. */
  startDraining(): void;
  /** Takes no more connections, waits `graceMs` at most for what runs, and cuts the rest. */
  close(graceMs: number): Promise<void>;
}
