import type { Contestant, Running } from '../contestants/contestant.ts';
import type { Site } from '../site.ts';

/** Starts those that can run here; the others leave a sentence. */
export async function startAll(site: Site, contestants: readonly Contestant[]) {
  const running: Running[] = [];
  const notes: string[] = [];
  for (const contestant of contestants) {
    const missing = contestant.missing(site);
    if (missing === null) running.push(await contestant.start(site));
    else notes.push(missing);
  }
  return { running, notes: [...new Set(notes)] };
}

export async function stopAll(site: Site, running: readonly Running[]): Promise<void> {
  for (const { child } of running) if (child !== null) await site.children.stop(child);
}

/** Who took part, for the results. */
export function entries(running: readonly Running[]): { name: string; about: string }[] {
  return running.map(({ name, about }) => ({ name, about }));
}
