import { describe, expect, it } from 'vitest';
import type { OpenDecoder } from '../../../src/meter/opening.ts';
import type { Ending } from '../../../src/meter/outcome.ts';
import type { Dialect } from '../../../src/wire/facts.ts';
import { NO_FACTS } from '../../../src/wire/request-facts.ts';
import { JSON_BODY } from '../../helpers/fact-log.ts';
import { both, metered, nothing, text, usage } from '../../helpers/metered.ts';
import type { Script } from '../../helpers/scripted-dialect.ts';

function phases(request: ReturnType<typeof metered>) {
  const inFlight = { prefill: 0, decode: 0, unstreamed: 0 };
  for (const series of request.ledger.series()) {
    inFlight.prefill += series.inFlight.prefill;
    inFlight.decode += series.inFlight.decode;
    inFlight.unstreamed += series.inFlight.unstreamed;
  }
  return inFlight;
}

describe('phases', () => {
  it('a stream is in prefill until its first token, then in decode, then gone', () => {
    const request = metered([nothing, text('a')]);
    request.begin();
    request.arrive(10);
    expect(phases(request)).toEqual({ prefill: 1, decode: 0, unstreamed: 0 });
    request.arrive(10);
    expect(phases(request)).toEqual({ prefill: 0, decode: 1, unstreamed: 0 });
    request.finish();
    expect(phases(request)).toEqual({ prefill: 0, decode: 0, unstreamed: 0 });
  });

  it('what comes decides, not what was asked for', () => {
    const request = metered([text('a')], { stream: false });
    request.meter.body({ ...NO_FACTS, model: 'm', stream: true });
    expect(phases(request).prefill).toBe(1);
    const head = { ...JSON_BODY, contentEncoding: '', upstreamRequestId: null };
    request.meter.answerHead(head, request.clock.nowMs());
    expect(phases(request).unstreamed).toBe(1);
  });

  it('a body that cannot be read enters as unstreamed when it is complete', () => {
    const request = metered([]);
    request.meter.body(null);
    expect(phases(request).unstreamed).toBe(1);
  });
});

describe('the outcome', () => {
  const endings: [Ending['kind'], number, boolean, string][] = [
    ['upstream_end', 200, true, 'complete'],
    ['upstream_end', 200, false, 'truncated'],
    ['upstream_end', 500, true, 'upstream_error'],
    ['upstream_end', 429, false, 'upstream_error'],
    ['client_left', 200, false, 'client_aborted'],
    ['client_left', 200, true, 'complete'],
    ['client_left', 499, false, 'client_aborted'],
    ['upstream_reset', 200, true, 'upstream_reset'],
    ['upstream_timeout', 504, false, 'upstream_timeout'],
    ['upstream_unreachable', 502, false, 'upstream_unreachable'],
    ['rejected', 503, false, 'rejected'],
    ['gateway_shutdown', 200, false, 'gateway_shutdown'],
  ];
  it.each(endings)('%s with status %i, marker seen: %s → %s', (...row) => {
    const [kind, status, marker, outcome] = row;
    const request = metered([text('a')], { terminal: marker ? 1 : 2 });
    request.begin(status);
    request.arrive(10);
    expect(request.finish(kind, status).outcome).toBe(outcome);
  });

  it('an unstreamed answer that could not be read to its end is truncated', () => {
    const request = metered([text('a')], { stream: false, terminal: 2 });
    request.begin();
    request.arrive(10);
    expect(request.finish().outcome).toBe('truncated');
  });

  it('a failure told inside a 200 is an error in the stream, marker or not', () => {
    const request = metered([text('a'), (sink) => sink.failed()]);
    request.begin();
    request.arrive(10);
    request.arrive(10);
    expect(request.finish()).toMatchObject({ outcome: 'error_in_stream', status: 200 });
  });

  it('is decided once: the first ending wins', () => {
    const request = metered([text('a')]);
    request.begin();
    request.arrive(10);
    request.finish();
    request.meter.finish({ kind: 'client_left', status: 499, error: null }, 0);
    expect(request.finished).toHaveLength(1);
  });

  it('the record and its hand-over are frozen', () => {
    const request = metered([text('a')]);
    request.begin();
    request.arrive(1);
    request.finish();
    expect(Object.isFrozen(request.finished[0])).toBe(true);
    expect(Object.isFrozen(request.finished[0]?.record)).toBe(true);
  });
});

describe('faults of the meter', () => {
  const faulty: Dialect = {
    api: 'openai.chat',
    open: () => ({
      streamed: true,
      reader: {
        push() {
          throw new Error('a fault of ours');
        },
        end() {},
        complete: false,
      },
    }),
  };

  it('cost the request its meter, never its relay', () => {
    const request = metered([], { dialect: faulty });
    request.begin();
    request.arrive(10, 5);
    request.arrive(10, 5);
    expect(request.finish()).toMatchObject({ outcome: 'complete', response_bytes: 10, usage_source: 'none' });
    expect(request.degraded).toEqual(['meter_error']);
  });

  /** A decoder that hands the pieces on as they are, and then can read no more. */
  const brokenAfter = (count: number, isBroken: boolean): OpenDecoder => {
    return (_encoding, decoded) => {
      let pieces = 0;
      return {
        push(bytes, atMs) {
          pieces += 1;
          if (pieces <= count) decoded.plain(bytes, atMs);
          else if (pieces === count + 1) decoded.failed(isBroken);
        },
        end: (done) => done(),
      };
    };
  };

  const withError = both(text('a'), (sink) => sink.failed());
  it.each([
    ['without its end is truncated', { read: text('a'), ends: false, isBroken: true, outcome: 'truncated' }],
    ['with its end is complete', { read: text('a'), ends: true, isBroken: true, outcome: 'complete' }],
    ['with an error has failed', { read: withError, ends: true, isBroken: true, outcome: 'error_in_stream' }],
    [
      'and was too much is as sound as its framing',
      { read: text('a'), ends: false, isBroken: false, outcome: 'complete' },
    ],
  ])('an answer of which a part could be inflated %s', (_what, { read, ends, isBroken, outcome }) => {
    const openDecoder = brokenAfter(1, isBroken);
    const request = metered([read, text('never read')], { terminal: ends ? 1 : 9, openDecoder });
    request.begin(200, 'gzip');
    request.arrive(10);
    request.arrive(10);
    expect(request.finish()).toMatchObject({ outcome, usage_source: 'estimated', output_characters: 1 });
    expect(request.degraded).toEqual(['inflate_failed']);
  });

  const tooLarge: Script = (sink) => sink.degraded('event_too_large');

  it('an event that was too large to be read may have been the last', () => {
    const ending = (scripts: Script[], kind?: 'client_left' | 'upstream_reset') => {
      const request = metered(scripts, { terminal: 9 });
      request.begin();
      for (const _ of scripts) request.arrive(10);
      return request.finish(kind).outcome;
    };
    expect(ending([text('a'), tooLarge])).toBe('complete');
    expect(ending([text('a'), tooLarge, nothing])).toBe('complete');
    expect(ending([text('a'), tooLarge, text('b')])).toBe('truncated');
    expect(ending([text('a'), tooLarge, (sink) => sink.failed()])).toBe('error_in_stream');
    expect(ending([text('a'), tooLarge], 'client_left')).toBe('client_aborted');
    expect(ending([text('a'), tooLarge], 'upstream_reset')).toBe('upstream_reset');
  });

  it('an event that could not be read leaves tokens out, of a running count and of lists', () => {
    const listed: Script = (sink) => sink.usage({ outputTokens: 5 }, true, 'lists');
    for (const counted of [usage(3, 5, { final: false }), listed]) {
      const request = metered([both(text('a'), counted), tooLarge], { terminal: 9 });
      request.begin();
      request.arrive(10, 2);
      expect(request.finish()).toMatchObject({ usage_source: 'estimated', outcome: 'complete' });
    }
  });

  it('an answer that could not be inflated is judged by its framing alone', () => {
    const request = metered([text('a')], {
      openDecoder: (_encoding, decoded) => ({
        push: () => decoded.failed(true),
        end: (done) => done(),
      }),
    });
    request.begin(200, 'gzip');
    request.arrive(10, 3);
    expect(request.finish()).toMatchObject({ outcome: 'complete', usage_source: 'none' });
    expect(request.degraded).toEqual(['inflate_failed']);
  });

  it.each([1, 3])('gzip that nobody announced is read all the same, %i bytes at first', (bytes) => {
    const opened: string[] = [];
    const request = metered([text('a')], {
      openDecoder: (encoding) => {
        opened.push(encoding);
        return { push() {}, end: (done) => done() };
      },
    });
    request.begin();
    request.meter.chunk(Uint8Array.of(0x1f, 0x8b, 8).subarray(0, bytes), request.clock.nowMs());
    expect(opened).toEqual(['gzip']);
  });

  it('an encoding it cannot read is relayed and counted', () => {
    const request = metered([text('a')]);
    request.begin(200, 'zstd');
    request.arrive(10, 3);
    expect(request.finish()).toMatchObject({ response_bytes: 3, usage_source: 'none', stream: true });
    expect(request.degraded).toEqual(['unsupported_encoding']);
  });
});

describe('the model name', () => {
  it('in the record is what the answer carried, else the requested one once confirmed, else null', () => {
    const named = metered([(sink) => sink.model('m-2026'), text('a')]);
    named.begin();
    named.arrive(1, 2);
    expect(named.finish()).toMatchObject({ model: 'm-2026', requested_model: 'm' });
    const unnamed = metered([text('a')]);
    unnamed.begin();
    unnamed.arrive(1);
    expect(unnamed.finish().model).toBe('m');
    const refused = metered([usage(1, 1)]);
    refused.begin(404);
    expect(refused.finish('upstream_end', 404)).toMatchObject({ model: null, requested_model: 'm' });
    expect(refused.finished[0]?.labels.model).toBe('unknown');
  });
});
