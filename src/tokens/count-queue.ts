import type { CountJob } from './count-job.ts';

/** Requests that wait for the one worker, first come, first served, bounded in number and in memory. */
export class CountQueue {
  readonly #max: { jobs: number; bytes: number };
  #jobs: CountJob[] = [];
  #bytes = 0;

  constructor(max: { jobs: number; bytes: number }) {
    this.#max = max;
  }

  /** False when there is no room: the job was not taken. */
  push(job: CountJob): boolean {
    if (this.#jobs.length >= this.#max.jobs || this.#bytes + job.bytes > this.#max.bytes) return false;
    this.#jobs.push(job);
    this.#bytes += job.bytes;
    return true;
  }

  shift(): CountJob | null {
    const job = this.#jobs.shift() ?? null;
    this.#bytes -= job?.bytes ?? 0;
    return job;
  }

  /** Takes out a job that nobody waits for any more, if it is still here. */
  remove(job: CountJob): void {
    const place = this.#jobs.indexOf(job);
    if (place < 0) return;
    this.#jobs.splice(place, 1);
    this.#bytes -= job.bytes;
  }
}
