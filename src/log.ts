import { type Logger, pino } from 'pino';
import { LogLines } from './log-lines.ts';
import type { UsageRecord } from './meter/record.ts';

/** How long the end of the process waits for that reader. */
const CLOSE_MS = 2_000;

export interface LogOptions {
  readonly level: string;
  /** A file descriptor or a path; standard output when absent. */
  readonly destination?: number | string;
}

/** Ports as `HOST:PORT`, really bound. Further fields may say more, and never name a key. */
export interface Listening {
  readonly listen: string;
  readonly admin: string;
  readonly [field: string]: unknown;
}

/**
 * JSON lines on standard output, each written whole, all through one stream, so that none are mixed.
 * Writing never blocks the relay: a reader that is too slow loses lines. Neither heads nor bodies of
 * requests are ever given to it, and so no prompt, answer or key.
 */
export interface Log {
  readonly logger: Logger;
  /** One line as it is, whatever the level; false when it was dropped. */
  line(text: string): boolean;
  /** The line that says the process is ready, whatever the level (CONTRACT §2). */
  listening(ports: Listening): void;
  /** One finished request, at level info: its record, between `level` and `msg`. */
  request(record: Readonly<UsageRecord>): void;
  /** Waits until what was logged is written. The log can still be used afterwards. */
  close(): Promise<void>;
}

const FORMAT = {
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label: string) => ({ level: label }) },
};

/** The logger of a process that has no output of its own: each line says which worker speaks, and goes to `write`. */
export function createForwardingLogger(options: {
  level: string;
  worker: number;
  write: (line: string) => void;
}): Logger {
  const { level, worker, write } = options;
  return pino({ ...FORMAT, level, base: { worker } }, { write: (line) => write(line.trimEnd()) });
}

export function createLog(options: LogOptions): Log {
  /** A reader that has stopped reading is waited for no longer. */
  let isGivenUp = false;
  // minLength 1: what it is given it writes at once, and `flush` calls back when all of it is out (with 0 it does not).
  const stream = pino.destination({
    dest: options.destination ?? 1,
    sync: false,
    minLength: 1,
    retryEAGAIN: () => !isGivenUp,
  });
  const lines = new LogLines(stream);
  // pino calls it when the process ends, for what is left then; it goes as far as it is taken.
  const writeRest = stream.flushSync.bind(stream);
  stream.flushSync = () => {
    isGivenUp = true;
    try {
      lines.write();
      writeRest();
    } catch {
      // Its reader does not take it, or has left.
    }
  };
  const logger = pino({ ...FORMAT, level: options.level, base: null }, { write: (line) => lines.addNow(line) });

  return {
    logger,
    // At once: who counts what was written must hear of a reader that has left.
    line: (text) => lines.addNow(`${text}\n`),
    listening(ports) {
      lines.addNow(
        `${JSON.stringify({ msg: 'listening', ...ports, level: 'info', time: new Date().toISOString() })}\n`,
      );
    },
    request(record) {
      if (!logger.isLevelEnabled('info')) return;
      // Not by the logger, which would write it field by field.
      lines.add(`{"level":"info",${JSON.stringify(record).slice(1, -1)},"msg":"request"}\n`);
    },
    async close() {
      lines.write();
      isGivenUp ||= !(await flushed(stream));
    },
  };
}

/** False when its reader did not take it in time. */
function flushed(stream: ReturnType<typeof pino.destination>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), CLOSE_MS);
    stream.flush(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
