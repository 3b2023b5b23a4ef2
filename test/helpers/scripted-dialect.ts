import type { Dialect, FactSink } from '../../src/wire/facts.ts';

/** An event of a scripted answer: what a dialect would have told its sink. */
export type Script = (sink: FactSink) => void;

/**
 * A dialect whose answers are written in facts instead of bytes: chunk N of the body (one byte each)
 * plays script N. It stands at the wire's real seam; nothing of the meter is replaced.
 */
export function scriptedDialect(
  scripts: readonly Script[],
  options: { streamed?: boolean; terminal?: number } = {},
): Dialect {
  return {
    api: 'openai.chat',
    open(_head, sink) {
      let played = 0;
      return {
        streamed: options.streamed ?? true,
        reader: {
          push(bytes) {
            for (const _ of bytes) {
              sink.event();
              scripts[played]?.(sink);
              played += 1;
            }
          },
          end() {},
          get complete() {
            return played >= (options.terminal ?? scripts.length);
          },
        },
      };
    },
  };
}
