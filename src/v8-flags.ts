import { setFlagsFromString } from 'node:v8';

/**
 * What a relay leaves behind dies young, in collections of a few hundred microseconds. Sharing such a
 * small job among threads costs more CPU than it saves: a tenth of all that a relayed event costs.
 */
export function tuneCollector(): void {
  setFlagsFromString('--no-parallel-scavenge');
}
