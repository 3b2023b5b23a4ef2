import { LOOKS_UNTIL_DEAD, LOOKS_UNTIL_SILENT } from './pace.ts';

/** What a look finds. `began` and `dead` are found once in each silence. */
export type Found = 'heard' | 'began' | 'silent' | 'dead';

/**
 * How long nothing has been heard of a worker. It is counted in looks, not by the clock: a first process
 * that was itself stopped or held up has not listened either, and must not blame its workers for it.
 */
export class Silence {
  #looks = 0;

  /** It is stopped, or its event loop hangs. */
  get isSilent(): boolean {
    return this.#looks >= LOOKS_UNTIL_SILENT;
  }

  /** True when a silence ends that was found before. */
  heard(): boolean {
    const wasSilent = this.isSilent;
    this.#looks = 0;
    return wasSilent;
  }

  look(): Found {
    this.#looks += 1;
    if (this.#looks === LOOKS_UNTIL_SILENT) return 'began';
    if (this.#looks === LOOKS_UNTIL_DEAD) return 'dead';
    return this.isSilent ? 'silent' : 'heard';
  }
}
