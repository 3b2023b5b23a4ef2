import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EchoedPrompt } from '../../../src/meter/echoed-prompt.ts';
import { openaiChat } from '../../../src/wire/dialects/openai-chat.ts';
import type { PromptEcho } from '../../../src/wire/prompt-echo.ts';
import { both, type MeteredOptions, metered, reasoning, text, usage } from '../../helpers/metered.ts';
import { content, cutStream } from '../../helpers/openai-chunks.ts';

const asked = (...texts: string[]): PromptEcho => ({ texts, isAsked: true });
const PROMPT = 'Once upon a time there was';

/** What of these texts of one choice is left. */
const rest = (echo: PromptEcho, ...texts: string[]): string[] => {
  const prompt = new EchoedPrompt(echo, 1);
  return texts.map((piece) => prompt.rest(0, piece));
};

function run(scripts: Parameters<typeof metered>[0], options: MeteredOptions) {
  const request = metered(scripts, options);
  request.begin();
  for (const _ of scripts) request.arrive(10);
  return request.finish();
}

describe('a prompt that comes back', () => {
  it('is no output and no token, whether it comes alone or with the first token', () => {
    const facts = { echo: asked(PROMPT) };
    const alone = run([text(PROMPT), text(' a king'), text('.')], { facts });
    expect(alone).toMatchObject({ ttft_ms: 20, output_characters: 8, chunks: 2, output_tokens: 2 });
    const together = run([text(`${PROMPT} a king`), text('.')], { facts });
    expect(together).toMatchObject({ ttft_ms: 10, output_characters: 8, chunks: 2 });
  });

  it('leaves every token its own time, also of events that are alike', () => {
    const request = metered([], { dialect: openaiChat, facts: { echo: asked(PROMPT) } });
    request.begin();
    const arrive = (afterMs: number, bytes: string) => {
      request.clock.advance(afterMs);
      request.meter.chunk(Buffer.from(bytes), request.clock.nowMs());
    };
    arrive(10, cutStream(content(PROMPT)));
    for (const word of [' a', ' king', ' and', ' queen']) arrive(20, cutStream(content(word)));
    expect(request.meter.soFar.answer.timing.chunks).toBe(4);
    arrive(3_000, 'data: [DONE]\n\n');
    expect(request.finish()).toMatchObject({ chunks: 4, decode_ms: 60, longest_gap_ms: 20 });
  });

  it('in pieces is none of them', () => {
    const record = run([text('Once upon'), text(' a time there'), text(' was a'), text(' king')], {
      facts: { echo: asked(PROMPT) },
    });
    expect(record).toMatchObject({ ttft_ms: 30, output_characters: 7, chunks: 2 });
  });

  it('that is all there is leaves nothing', () => {
    const scoring = run([text(PROMPT), usage(6, 0)], { facts: { echo: asked(PROMPT) } });
    expect(scoring).toMatchObject({ ttft_ms: null, chunks: null, output_characters: null, output_tokens: 0 });
  });

  it('does not keep the first of several prompts from the others: each choice has its own', () => {
    const facts = { echo: asked('aaaa', 'bbbb'), choices: 2 };
    const scripts = [both(text('aaaax', 0), text('aaaay', 1)), both(text('bbbbz', 2), text('bbbb', 3)), text('w', 3)];
    expect(run(scripts, { facts })).toMatchObject({ output_characters: 4, choices: 4 });
  });

  it('is taken from text alone', () => {
    const record = run([reasoning(PROMPT), text(PROMPT), text('x')], { facts: { echo: asked(PROMPT) } });
    expect(record).toMatchObject({ ttft_ms: 10, output_characters: PROMPT.length + 1 });
  });

  it('of token ids is not known when it comes, and nothing is taken for it', () => {
    const record = run([text('Paris'), text('.')], { facts: { echo: { texts: null, isAsked: true } } });
    expect(record).toMatchObject({ ttft_ms: 10, output_characters: 6 });
  });

  it('only in its beginning was output: the answer ends there', () => {
    const ends: Parameters<typeof metered>[0][number] = (sink) => sink.choiceEnded(0, 'stop');
    expect(run([text('Once'), text(' upon'), ends], { facts: { echo: asked(PROMPT) } })).toMatchObject({
      output_characters: 9,
      ttft_ms: 30,
    });
    const nearly = PROMPT.slice(0, -1);
    expect(run([text(nearly), ends], { facts: { echo: asked(PROMPT) } }).output_characters).toBeNull();
  });

  it('unasked is looked for in a body, not in a stream', () => {
    const facts = { echo: { texts: [PROMPT], isAsked: false } };
    expect(run([both(text(`${PROMPT} a`), usage(6, 1))], { facts, stream: false })).toMatchObject({
      output_characters: 2,
    });
    expect(run([text(PROMPT), usage(6, 1)], { facts })).toMatchObject({ output_characters: PROMPT.length });
  });

  it('may have its tokens in the lists beside it, which then count nothing', () => {
    const listed = both(text(`${PROMPT} a`), (sink) => sink.usage({ outputTokens: 7 }, true, 'lists'));
    expect(run([listed], { facts: { echo: asked(PROMPT) } })).toMatchObject({ usage_source: 'estimated' });
  });
});

describe('what is left', () => {
  it('is everything behind the prompt, however the answer is cut', () => {
    const words = fc.string({ unit: 'grapheme', maxLength: 30 });
    fc.assert(
      fc.property(words, words, fc.array(fc.nat(60)), (prompt, output, cuts) => {
        const all = prompt + output;
        const places = [0, ...cuts.filter((cut) => cut < all.length), all.length].sort((a, b) => a - b);
        const pieces = places.slice(1).map((to, at) => all.slice(places[at], to));
        expect(rest(asked(prompt), ...pieces).join('')).toBe(output);
      }),
    );
  });

  it('is the whole answer of a server that sends no prompt back, even one that begins alike', () => {
    expect(rest(asked(PROMPT), 'Hello', ' you')).toEqual(['Hello', ' you']);
    expect(rest(asked(PROMPT), 'Once', ' more')).toEqual(['', 'Once more']);
  });

  it('is what follows a prompt that the server writes a bit otherwise at its end', () => {
    expect(rest(asked(`${PROMPT}\r\n`), PROMPT, '\n', 'x')).toEqual(['', '\n', 'x']);
  });

  it('has no mark that stood before the prompt', () => {
    expect(rest(asked(PROMPT), `<s> ${PROMPT} a`)).toEqual([' a']);
    expect(rest(asked('a'), 'cat')).toEqual(['cat']);
  });
});
