import { isFigure, NO_FIGURE } from './format.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A latency: 0.3 ms, 48 ms, 1.42 s, 14.2 s, 2 min 05 s, 1 h 02 min. */
export function duration(ms: number | null): string {
  if (!isFigure(ms)) return NO_FIGURE;
  if (ms > 0 && ms < 0.95) return ms < 0.05 ? '<0.1 ms' : `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / 1_000).toFixed(2)} s`;
  if (ms < MINUTE_MS - 50) return `${(ms / 1_000).toFixed(1)} s`;
  return longer(ms);
}

/** How long something has been going on; tenths of a second would only flicker. */
export function age(ms: number | null): string {
  if (!isFigure(ms)) return NO_FIGURE;
  return ms < MINUTE_MS - 500 ? `${Math.round(Math.max(0, ms) / 1_000)} s` : longer(ms);
}

function longer(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (ms < HOUR_MS - 500) return `${Math.floor(seconds / 60)} min ${padded(seconds % 60)} s`;
  const minutes = Math.round(ms / MINUTE_MS);
  return `${Math.floor(minutes / 60)} h ${padded(minutes % 60)} min`;
}

/** The reader's own time of day, for a moment in RFC 3339. */
export function timeOfDay(time: string | number): string {
  const moment = new Date(time);
  if (Number.isNaN(moment.getTime())) return NO_FIGURE;
  return [moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(padded).join(':');
}

const DAY = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' });

/** The same with its date where that is not the day of `nowMs`: what failed yesterday did not fail today. */
export function moment(time: string | number, nowMs: number): string {
  const at = new Date(time);
  const text = timeOfDay(time);
  const isToday = at.toDateString() === new Date(nowMs).toDateString();
  return isToday || text === NO_FIGURE ? text : `${DAY.format(at)}, ${text}`;
}

function padded(value: number): string {
  return String(value).padStart(2, '0');
}
