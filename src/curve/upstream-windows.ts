import type { PhaseMove } from '../ledger/activity.ts';
import type { FinishedRequest } from '../meter/finished.ts';
import { InFlightWindows } from './in-flight-windows.ts';
import { type RequestSpan, spanOf } from './request-span.ts';
import { type ClosedWindow, forEachWindow, type Interval, OpenWindow, WINDOW_MS, windowOf } from './window.ts';

/** A record follows its request's end by less than this, counted late or told by another process. */
const SETTLE_MS = 3_000;
/**
 * Windows wait for no request longer than this. What is still in flight then counts as an answer that nobody
 * could count: a window with more of it than a few percent says nothing, and one that hangs among many stops no curve.
 */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * The windows of one upstream that are still open. A window is closed once every request that overlapped it
 * has ended: only then are the tokens of unstreamed answers known, which are spread over their intervals.
 * Windows are chosen by the time of what happened, never by a timer, and take it in any order: what another
 * process tells late lands where it belongs.
 */
export class UpstreamWindows {
  readonly #open = new Map<number, OpenWindow>();
  readonly #inFlight = new InFlightWindows(SETTLE_MS);
  /** The oldest window that is not closed. */
  #next = Number.NEGATIVE_INFINITY;
  /** Generations in flight when it began. */
  #atStart = 0;

  phase({ from, to, atMs, beganMs }: PhaseMove): void {
    if (from === null) this.#inFlight.began(windowOf(beganMs));
    if (to === null) this.#inFlight.left(windowOf(beganMs), atMs);
    const change = (to === null ? 0 : 1) - (from === null ? 0 : 1);
    if (change === 0) return;
    const window = windowOf(atMs);
    const open = this.#at(window);
    if (open === null) {
      this.#atStart += change;
      return;
    }
    open.moved(change, atMs);
  }

  /** On the path of every chunk: nothing is allocated but a window in five seconds. */
  tokens(count: number, atMs: number): void {
    const open = this.#at(windowOf(atMs));
    if (open !== null) open.tokens += count;
  }

  /** Tokens (below 0: a correction) that belong evenly to an interval of the past. */
  spread(count: number, over: Interval): void {
    this.#over(over, (open, share) => {
      open.tokens += count * share;
    });
  }

  finished(request: FinishedRequest): void {
    const span = spanOf(request);
    this.#spoil(request, span);
    if (!request.slowClient && span.worth !== 'fruitless') this.#sample(request, span);
  }

  /** Hands over, in order, every window that can be closed and says something of the engine. */
  close(nowMs: number, take: (window: ClosedWindow) => void): void {
    this.#inFlight.settle(nowMs);
    const held = Math.max(this.#inFlight.oldest, windowOf(nowMs - LONGEST_WAIT_MS));
    const end = Math.min(held, windowOf(nowMs - SETTLE_MS));
    while (this.#next < end) {
      if (this.#atStart === 0 && this.#open.size === 0) {
        // Nothing happened since: an idle night is not gone through step by step.
        this.#next = end;
        return;
      }
      const open = this.#open.get(this.#next) ?? new OpenWindow();
      this.#open.delete(this.#next);
      open.hiddenMs += this.#inFlight.begunBy(this.#next) * WINDOW_MS;
      const closed = open.close({ atMs: this.#next * WINDOW_MS, inFlight: this.#atStart });
      this.#atStart += open.change;
      this.#next += 1;
      if (closed !== null) take(closed);
    }
  }

  /** What the time of this request takes from the worth of its windows. */
  #spoil({ record, slowClient }: FinishedRequest, { served, decode, worth }: RequestSpan): void {
    const servedMs = served.toMs - served.fromMs;
    if (worth !== 'counted') {
      this.#over(served, (open, share) => {
        open[worth === 'uncounted' ? 'hiddenMs' : 'fruitlessMs'] += share * servedMs;
      });
    }
    if (!slowClient || decode === null) return;
    this.#over(decode, (open, share) => {
      open.hiddenMs += share * record.client_blocked_ms;
    });
  }

  /** A request weighs 1 in each of its figures, spread over the time in which it was measured. */
  #sample({ record, labels }: FinishedRequest, { served, firstTokenMs, decode }: RequestSpan): void {
    const { ttft_ms: ttftMs } = record;
    if (firstTokenMs !== null && ttftMs !== null)
      this.#over({ fromMs: firstTokenMs, toMs: firstTokenMs }, (open) => open.seriesOf(labels).firstToken(ttftMs));
    if (decode !== null) this.#over(decode, (open, share) => open.seriesOf(labels).decoded(record, share));
    this.#over(served, (open, share) => open.seriesOf(labels).served(record, share));
  }

  #over(interval: Interval, visit: (open: OpenWindow, share: number) => void): void {
    // Windows before the oldest open one are closed: they need not be gone through.
    const fromMs = Math.max(interval.fromMs, Math.min(interval.toMs, this.#next * WINDOW_MS));
    const lengthMs = interval.toMs - interval.fromMs;
    const kept = lengthMs > 0 ? (interval.toMs - fromMs) / lengthMs : 1;
    forEachWindow({ fromMs, toMs: interval.toMs }, (window, share) => {
      const open = this.#at(window);
      if (open !== null) visit(open, share * kept);
    });
  }

  /** Null for a window that is closed already. */
  #at(window: number): OpenWindow | null {
    if (this.#next === Number.NEGATIVE_INFINITY) this.#next = window;
    if (window < this.#next) return null;
    let open = this.#open.get(window);
    if (open === undefined) {
      open = new OpenWindow();
      this.#open.set(window, open);
    }
    return open;
  }
}
