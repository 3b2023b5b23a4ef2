import { COLOUR_INK, PLAIN_INK, render } from './render.ts';
import type { DemoView } from './view.ts';

/** Standard output, or what a test puts in its place. */
export interface ScreenOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** The environment variables that decide how the screen looks. */
export interface ScreenEnvironment {
  readonly NO_COLOR?: string | undefined;
  readonly TERM?: string | undefined;
}

export interface Screen {
  /** Milliseconds between two views. */
  readonly everyMs: number;
  show(view: DemoView): void;
  /** Gives the terminal back, with the last frame left in it. Harmless when repeated. */
  close(): void;
}

/** Redraws a terminal each second; writes a JSON line every five where standard output is none. */
export function openScreen(output: ScreenOutput, environment: ScreenEnvironment): Screen {
  if (output.isTTY !== true || environment.TERM === 'dumb') return new LineScreen(output);
  // https://no-color.org: any value but the empty one.
  return new TerminalScreen(output, (environment.NO_COLOR ?? '') === '');
}

class LineScreen implements Screen {
  readonly everyMs = 5_000;
  readonly #output: ScreenOutput;

  constructor(output: ScreenOutput) {
    this.#output = output;
  }

  show(view: DemoView): void {
    this.#output.write(`${demoLine(view)}\n`);
  }

  close(): void {}
}

/** The snapshot as one line of JSON. Says in each that it is a simulation: lines get parted from their file. */
function demoLine(view: DemoView): string {
  return JSON.stringify({
    msg: 'demo',
    simulation: true,
    ...view.snapshot,
    wanted_concurrency: view.wantedConcurrency,
    engine_tokens_per_second: view.engineTokensPerSecond,
    conditions: view.conditions,
  });
}

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/** Uses the terminal's second screen: what stood in the first comes back at the end. */
class TerminalScreen implements Screen {
  readonly everyMs = 1_000;
  readonly #output: ScreenOutput;
  readonly #colour: boolean;
  #lastFrame: string | null = null;

  constructor(output: ScreenOutput, colour: boolean) {
    this.#output = output;
    this.#colour = colour;
  }

  show(view: DemoView): void {
    const first = this.#lastFrame === null;
    this.#lastFrame = render(view, this.#output.columns ?? 80, this.#colour ? COLOUR_INK : PLAIN_INK);
    // A line more than the terminal has would scroll it and smear the frame.
    const lines = this.#lastFrame.split('\n').slice(0, this.#output.rows ?? 24);
    const body = lines.map((line) => line + CLEAR_LINE).join('\r\n');
    this.#output.write((first ? ENTER : '') + HOME + body + CLEAR_BELOW);
  }

  close(): void {
    if (this.#lastFrame === null) return;
    this.#output.write(`${LEAVE}${this.#lastFrame}\n`);
    this.#lastFrame = null;
  }
}
