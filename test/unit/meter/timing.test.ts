import { describe, expect, it } from 'vitest';
import { both, metered, nothing, reasoning, text, usage } from '../../helpers/metered.ts';

describe('time to first token', () => {
  it('runs from the last byte of the request body to the first generated payload', () => {
    const request = metered([nothing, text('Hello')]);
    request.clock.advance(100);
    request.begin();
    request.arrive(5);
    request.arrive(895);
    const record = request.finish();
    expect(record).toMatchObject({ upload_ms: 100, ttfb_ms: 5, ttft_ms: 900, ttfa_ms: 900, e2e_ms: 1_000 });
    expect(request.firstTokens).toEqual([900]);
  });

  it('counts reasoning as a token but not as the answer', () => {
    const request = metered([reasoning('hm'), text('42')]);
    request.begin();
    request.arrive(1_000);
    request.arrive(2_000);
    expect(request.finish()).toMatchObject({ ttft_ms: 1_000, ttfa_ms: 3_000 });
  });

  it('counts an empty delta when the running count in its event has grown', () => {
    const request = metered([
      usage(7, 0, { final: false }),
      usage(7, 30, { final: false }),
      both(text('done'), usage(7, 31, { final: false })),
    ]);
    request.begin();
    request.arrive(10);
    request.arrive(90);
    request.arrive(100);
    expect(request.finish()).toMatchObject({ ttft_ms: 100, chunks: 2, output_tokens: 31 });
  });

  it('is null when a stream had no payload at all, even though usage says one token', () => {
    const request = metered([nothing, usage(7, 1)]);
    request.begin();
    request.arrive(10);
    request.arrive(10);
    expect(request.finish()).toMatchObject({ ttft_ms: null, ttfb_ms: 10, output_tokens: 1, usage_source: 'reported' });
  });

  it('is null for an answer that was not streamed', () => {
    const request = metered([both(text('whole'), usage(3, 5))], { stream: false });
    request.begin();
    request.arrive(500);
    expect(request.finish()).toMatchObject({
      ttft_ms: null,
      tpot_ms: null,
      chunks: null,
      output_tokens: 5,
      stream: false,
    });
    expect(request.firstTokens).toEqual([]);
  });

  it('does not move when the wall clock steps', () => {
    const request = metered([text('a'), text('b')]);
    request.begin();
    request.arrive(50);
    request.clock.stepWall(-2_000);
    request.arrive(50);
    const record = request.finish();
    expect(record).toMatchObject({ ttft_ms: 50, e2e_ms: 100 });
    expect(Date.parse(record.time) - Date.parse(record.started_at)).toBe(100);
  });
});

describe('time per output token', () => {
  it('divides first to last token by the visible tokens less one', () => {
    const request = metered([text('a'), text('b'), text('c'), usage(3, 11)]);
    request.begin();
    request.arrive(100);
    request.arrive(100);
    request.arrive(100);
    request.arrive(5_000);
    expect(request.finish()).toMatchObject({
      tpot_ms: 20,
      user_speed_tokens_per_second: 50,
      decode_ms: 200,
      characters_per_second: 15,
    });
  });

  it('leaves out reasoning that was counted but never streamed', () => {
    const request = metered([text('a'), text('b'), usage(3, 4_301, { reasoningTokens: 4_000 })]);
    request.begin();
    request.arrive(100);
    request.arrive(3_000);
    request.arrive(1);
    expect(request.finish()).toMatchObject({ output_tokens: 4_301, reasoning_tokens: 4_000, tpot_ms: 10 });
  });

  it('keeps reasoning that was streamed', () => {
    const request = metered([reasoning('a'), text('b'), usage(3, 301, { reasoningTokens: 200 })]);
    request.begin();
    request.arrive(100);
    request.arrive(3_000);
    request.arrive(1);
    expect(request.finish().tpot_ms).toBe(10);
  });

  it('needs two chunks at different times', () => {
    const request = metered([text('a'), text('b'), usage(3, 40)]);
    request.begin();
    request.arrive(100, 3);
    expect(request.finish()).toMatchObject({ tpot_ms: null, user_speed_tokens_per_second: null, output_tokens: 40 });
  });

  it('is the mean over choices, each by its own count', () => {
    const perChoice = (choice: number, tokens: number) =>
      both(text('xxxx', choice), (sink) => sink.choiceTokens(choice, tokens));
    const request = metered([perChoice(0, 1), perChoice(1, 1), perChoice(0, 11), perChoice(1, 6), usage(3, 17)]);
    request.begin();
    for (let event = 0; event < 4; event += 1) request.arrive(50);
    request.arrive(1);
    expect(request.finish()).toMatchObject({ tpot_ms: (100 / 10 + 100 / 5) / 2, choices: 2 });
  });

  it('shares the count by characters where choices are not counted apart', () => {
    const request = metered([text('aa', 0), text('bb', 1), text('aa', 0), text('bb', 1), usage(3, 22)]);
    request.begin();
    for (let event = 0; event < 5; event += 1) request.arrive(50);
    expect(request.finish().tpot_ms).toBe(10);
  });
});

describe('gaps', () => {
  it('keeps the longest apart: a mean hides a freeze', () => {
    const request = metered([text('a'), text('b'), text('c')]);
    request.begin();
    request.arrive(10);
    request.arrive(20);
    request.arrive(3_000);
    expect(request.finish().longest_gap_ms).toBe(3_000);
    expect(request.finished[0]?.gaps?.sumMs).toBe(3_020);
  });

  it('a chunk is not a token: ten chunks of forty tokens give nine gaps', () => {
    const request = metered([...Array.from({ length: 10 }, () => text('word')), usage(3, 40)]);
    request.begin();
    for (let event = 0; event < 11; event += 1) request.arrive(40);
    const record = request.finish();
    expect(record).toMatchObject({ chunks: 10, output_tokens: 40 });
    expect(request.finished[0]?.gaps?.counts.reduce((sum, count) => sum + count, 0)).toBe(9);
  });
});

describe('a slow client', () => {
  it.each([
    [4, false],
    [6, true],
  ])('blocked for %i %% of the decode time is out of speeds: %s', (percent, isSlow) => {
    const request = metered([text('a'), text('b'), usage(1, 5)]);
    request.begin();
    request.arrive(10);
    request.arrive(1_000);
    request.meter.clientBlocked(percent * 10);
    request.finish();
    expect(request.finished[0]?.slowClient).toBe(isSlow);
  });
});
