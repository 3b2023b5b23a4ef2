import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../../src/wire/facts.ts';
import { metered } from '../../helpers/metered.ts';

describe('the shape of an answer', () => {
  it('is what its first bytes say: an event stream served as JSON has a first token', () => {
    const late: Dialect = {
      api: 'openai.chat',
      open(_head, sink) {
        let seen = false;
        return {
          get streamed() {
            return seen;
          },
          reader: {
            push() {
              seen = true;
              sink.event();
              sink.output(0, 'content', 'hi');
            },
            end() {},
            complete: true,
          },
        };
      },
    };
    const request = metered([], { dialect: late });
    request.begin();
    expect([...request.ledger.series()].some(({ inFlight }) => inFlight.unstreamed === 1)).toBe(true);
    request.arrive(100);
    request.arrive(100);
    expect(request.finish()).toMatchObject({ stream: true, ttft_ms: 100, chunks: 2 });
  });
});
