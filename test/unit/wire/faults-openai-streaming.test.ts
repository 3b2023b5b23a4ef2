/** FAULTS.md, section B, as far as it concerns chat and text completions: one test for each entry. */
import { describe, expect, it } from 'vitest';
import { openaiChat } from '../../../src/wire/dialects/openai-chat.ts';
import { byteByByte } from '../../helpers/cuts.ts';
import { headOf, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import { content, cutStream, delta, finish, role, stream, usageChunk } from '../../helpers/openai-chunks.ts';

const read = (...pieces: string[]): ReadAnswer =>
  readAnswer(
    openaiChat,
    pieces.map((piece) => Buffer.from(piece)),
  );
const ANSWER = [role(), content('a'), content('b'), finish()];

describe('B. streaming', () => {
  it('B34: a role is no token', () => {
    expect(read(cutStream(role())).log.of('output')).toEqual([]);
  });

  it('B35, B36: reasoning and tool calls are tokens', () => {
    const { log } = read(stream(delta({ reasoning: 'hm' }), delta({ tool_calls: [{ function: { name: 'get' } }] })));
    expect(log.of('output').map((fact) => fact.channel)).toEqual(['reasoning', 'tool']);
  });

  it('B37: an answer without a token has its usage and its end', () => {
    const { log, complete } = read(stream(role(), finish(), usageChunk(5, 1)));
    expect([log.of('output'), log.merged.outputTokens, complete]).toEqual([[], 1, true]);
  });

  it('B38: an answer in one body was not streamed', () => {
    const head = headOf('application/json');
    expect(readAnswer(openaiChat, [Buffer.from('{"choices":[]}')], { head }).streamed).toBe(false);
  });

  it('B39: keep-alive comments are nothing, and no fault', () => {
    expect(read(': OPENROUTER PROCESSING\n\n'.repeat(3)).log.facts).toEqual([]);
  });

  it('B41: keep-alives sent as data are counted as unreadable, empty ones not even that', () => {
    const { log, complete } = read('data: : keepalive\n\ndata: \n\ndata\n\n', stream(content('a'), finish()));
    expect([log.degradations, log.text(), complete]).toEqual([['unparsed_event'], 'a', true]);
  });

  it('B42: a character split over reads is one character', () => {
    expect(readAnswer(openaiChat, byteByByte(Buffer.from(stream(content('🌍'))))).log.text()).toBe('🌍');
  });

  it('B43, B44: any line ends, also split ones, make the same events', () => {
    for (const end of ['\r\n', '\r']) {
      const body = Buffer.from(
        stream(...ANSWER)
          .replaceAll('\n', end)
          .replaceAll('data: ', 'data:'),
      );
      expect(readAnswer(openaiChat, byteByByte(body))).toEqual(read(stream(...ANSWER)));
    }
  });

  it('B45: JSON over several data lines is one event', () => {
    const pretty = JSON.stringify(content('a'), null, 2).replaceAll(/^/gm, 'data: ');
    expect(read(`${pretty}\n\n`).log.text()).toBe('a');
  });

  it('B46, B47: events cut in two and events together are the same events', () => {
    const body = stream(content('a'), usageChunk(7, 2));
    const cut = body.indexOf('completion_tokens') + 5;
    expect(read(body.slice(0, cut), body.slice(cut))).toEqual(read(body));
  });

  it('B49: an error frame under 200 is a failure, with [DONE] behind it or not', () => {
    const error = { error: { message: 'quota', type: 'x', code: 429 } };
    for (const body of [stream(content('a'), error), cutStream(content('a'), error)]) {
      const { log } = read(body);
      expect([log.of('failed').length, log.of('output').length]).toEqual([1, 1]);
    }
  });

  it.each([null, '', ' ', {}, [], false, 0, { message: '', code: null }, { code: 0, details: [] }])(
    'B49: an `error` that says nothing is none: %j',
    (error) => {
      const { log, complete } = read(stream(content('a', { error }), finish('stop', { error, x_groq: { error } })));
      expect([log.of('failed').length, complete]).toEqual([0, true]);
    },
  );

  it.each(['overloaded', 500, true, { code: 'x' }, { code: 500 }, { status: { code: 1 } }, [{ message: 'no' }]])(
    'B49: one that says something is a failure: %j',
    (error) => {
      expect(read(cutStream(content('a'), { error })).log.of('failed')).toHaveLength(1);
    },
  );

  it('B49: so are a finish reason `error` and an event of that name', () => {
    expect(read(cutStream(content('a'), finish('error'))).log.of('failed')).toHaveLength(1);
    const named = read('event: error\ndata: overloaded\n\n').log;
    expect([named.of('failed').length, named.degradations]).toEqual([1, []]);
    expect(read(stream(finish('stop', { x_groq: { error: { message: 'x' } } }))).log.of('failed')).toHaveLength(1);
  });

  it('B50: so is the non-standard field `error:`', () => {
    const { log } = read('error: {"code":400,"message":"ctx"}\n\ndata: [DONE]\n\n');
    expect([log.of('failed').length, log.degradations]).toEqual([1, []]);
  });

  it('B51: so is an error as the first event, or as the whole body', () => {
    expect(read(cutStream({ error: { message: 'no' } })).log.of('failed')).toHaveLength(1);
    const head = headOf('application/json');
    expect(readAnswer(openaiChat, [Buffer.from('{"error":{"message":"no"}}')], { head }).log.of('failed')).toHaveLength(
      1,
    );
  });

  it('B52: a stream that ends in the middle is not complete, and its last half event is no fault', () => {
    const body = stream(...ANSWER);
    for (const cut of [body.indexOf('"b"') + 1, body.indexOf('"b"') - 30]) {
      const { log, complete } = read(body.slice(0, cut));
      expect([complete, log.text(), log.degradations]).toEqual([false, 'a', []]);
    }
  });

  it('B54: a missing [DONE] is no fault when every choice has ended', () => {
    expect(read(cutStream(...ANSWER)).complete).toBe(true);
  });

  it('B55, B56: [DONE] may come twice, and usage after it counts', () => {
    const { log, complete } = read(stream(...ANSWER), stream(usageChunk(7, 2)));
    expect([complete, log.merged.outputTokens, log.degradations]).toEqual([true, 2, []]);
  });

  it('B59: a compressed body that nobody announced is no text, and throws nothing', () => {
    const gzip = Buffer.from('1f8b0800000000000003ab56ca48cdc9c95750b2525028cf2fca490100', 'hex');
    expect(readAnswer(openaiChat, [gzip]).log.of('output')).toEqual([]);
  });

  it('B66: a binary answer is not run through a text decoder', () => {
    expect(readAnswer(openaiChat, [Buffer.from('data: x\n\n')], { head: headOf('audio/mpeg') }).log.facts).toEqual([]);
  });
});
