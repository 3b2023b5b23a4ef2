import { describe, expect, it } from 'vitest';
import type { FactSink } from '../../../src/wire/facts.ts';
import { both, metered, nothing, text, usage } from '../../helpers/metered.ts';

function run(
  scripts: Parameters<typeof metered>[0],
  ending: Parameters<ReturnType<typeof metered>['finish']>[0],
  options = {},
) {
  const request = metered(scripts, options);
  request.begin();
  for (const _ of scripts) request.arrive(10);
  return request.finish(ending);
}

describe('usage', () => {
  it('takes the field-wise maximum of snapshots, never their sum', () => {
    const record = run([usage(7, 2, { final: false }), usage(7, 5, { final: false }), usage(7, 9)], 'upstream_end');
    expect(record).toMatchObject({ input_tokens: 7, output_tokens: 9, usage_source: 'reported' });
  });

  it('keeps what a later snapshot does not say', () => {
    const later = (sink: Parameters<ReturnType<typeof usage>>[0]) => sink.usage({ outputTokens: 76 }, true);
    const record = run([text('a'), usage(25, 1, { final: false, cachedInputTokens: 100 }), later], 'upstream_end');
    expect(record).toMatchObject({ input_tokens: 25, cached_input_tokens: 100, output_tokens: 76 });
  });

  it('absent is null, never 0', () => {
    const record = run([text('a'), (sink) => sink.usage({ outputTokens: 12 }, true)], 'upstream_end');
    expect(record).toMatchObject({ input_tokens: null, cached_input_tokens: null, reasoning_tokens: null });
  });

  it('is partial when the stream was cut under a running count', () => {
    const scripts = [both(text('a'), usage(7, 1, { final: false })), both(text('b'), usage(7, 2, { final: false }))];
    expect(run(scripts, 'client_left', { terminal: 9 })).toMatchObject({
      outcome: 'client_aborted',
      output_tokens: 2,
      usage_source: 'partial',
    });
  });

  it('is reported when the cut came after the final word', () => {
    const scripts = [text('a'), usage(7, 2)];
    expect(run(scripts, 'upstream_reset', { terminal: 9 })).toMatchObject({
      output_tokens: 2,
      usage_source: 'reported',
    });
  });

  it('is estimated when a running count stopped before the output did', () => {
    const scripts = [usage(7, 1, { final: false }), text('a'), text('b'), text('c')];
    expect(run(scripts, 'client_left', { terminal: 9 })).toMatchObject({ output_tokens: 4, usage_source: 'estimated' });
  });

  it('is estimated from the live count where the upstream reports nothing', () => {
    expect(run([nothing, text('a'), text('b'), text('c')], 'upstream_end')).toMatchObject({
      output_tokens: 3,
      input_tokens: null,
      usage_source: 'estimated',
    });
  });

  it('is none, and nothing is counted, when estimates are off', () => {
    const request = metered([text('a'), text('b'), text('c')], { estimates: false });
    request.begin();
    for (let event = 0; event < 3; event += 1) request.arrive(10);
    expect(request.finish()).toMatchObject({ output_tokens: null, usage_source: 'none' });
    const [series] = [...request.ledger.series()].filter(({ labels }) => labels.model === 'm');
    expect((series?.outputTokens ?? 0) - (series?.withheld ?? 0)).toBe(0);
  });

  it('is none when no payload was seen', () => {
    expect(run([nothing], 'client_left', { terminal: 9 })).toMatchObject({ output_tokens: null, usage_source: 'none' });
  });

  it('trusts the upstream’s last word, and only its dialect knows what is none', () => {
    expect(run([text('a'), text('b'), usage(0, 0)], 'upstream_end')).toMatchObject({
      output_tokens: 0,
      usage_source: 'reported',
    });
  });

  it.each([
    ['names the prompt only', (sink: FactSink) => sink.usage({ inputTokens: 7 }, true)],
    ['says no token was made', usage(7, 0)],
  ])('a last word that %s is no report of output that was seen', (_what, lastWord) => {
    expect(run([text('a'), text('b'), lastWord], 'upstream_end')).toMatchObject({
      input_tokens: 7,
      output_tokens: 2,
      usage_source: 'estimated',
    });
  });

  it('a last word about the prompt alone is a report where nothing was generated', () => {
    const embeddings = (sink: FactSink) => sink.usage({ inputTokens: 7 }, true);
    expect(run([embeddings], 'upstream_end')).toMatchObject({
      input_tokens: 7,
      output_tokens: null,
      usage_source: 'reported',
    });
  });

  it('a last word with output behind it was none: cut, it lags, and the estimate serves', () => {
    const scripts = [text('a'), usage(7, 4), text('b'), text('c')];
    expect(run(scripts, 'client_left', { terminal: 9 })).toMatchObject({ usage_source: 'estimated', input_tokens: 7 });
    const counted = [text('a'), usage(7, 4), text('b'), usage(7, 9)];
    expect(run(counted, 'upstream_end')).toMatchObject({ usage_source: 'reported', output_tokens: 9 });
  });

  const ends = (sink: FactSink) => sink.choiceEnded(0, 'stop');

  it.each([
    [
      'the rest of the text comes with the finish reason',
      [text('Hello'), usage(7, 3), both(text(' dear world'), ends)],
    ],
    ['it is more than the text can have', [text('Hello'), usage(7, 42), text(' dear '), text('world'), ends]],
  ])('B19: before the end is the last word all the same, where %s', (_what, scripts) => {
    const record = run(scripts, 'upstream_end');
    expect(record).toMatchObject({ input_tokens: 7, usage_source: 'reported' });
    expect([3, 42]).toContain(record.output_tokens);
  });

  it('in the middle of a text that is longer is none', () => {
    const scripts = [text('Hello'), usage(7, 2), text(' dear '), text('world'), ends];
    expect(run(scripts, 'upstream_end')).toMatchObject({ usage_source: 'estimated' });
  });

  const ofChoices =
    (outputTokens: number, final = false) =>
    (sink: FactSink) =>
      sink.usage({ outputTokens }, final, 'choices');
  const ofLists =
    (outputTokens: number, final = false) =>
    (sink: FactSink) =>
      sink.usage({ outputTokens }, final, 'lists');

  it('of the request at its end stands over what was added up of its choices, and is counted so', () => {
    const request = metered([both(text('a'), ofChoices(4)), both(text('b', 1), ofChoices(8)), usage(5, 4)]);
    request.begin();
    request.arrive(10, 3);
    expect(request.finish()).toMatchObject({ output_tokens: 4, usage_source: 'reported' });
    const [series] = [...request.ledger.series()].filter(({ labels }) => labels.model === 'm');
    expect((series?.outputTokens ?? 0) - (series?.withheld ?? 0)).toBe(4);
  });

  it.each([
    ['a total that came before the choices went on', [usage(5, 1), both(text('a'), ofChoices(7, true))]],
    ['a total that is no last word', [both(text('a'), usage(5, 1, { final: false })), ofChoices(7, true)]],
    ['no total', [both(text('a'), ofChoices(3)), both(text('b', 1), ofChoices(7, true))]],
  ])('is what was added up of the choices where there is %s', (_what, scripts) => {
    expect(run(scripts, 'upstream_end')).toMatchObject({ output_tokens: 7, usage_source: 'reported' });
  });

  it.each([
    ['usage', usage(5, 2), 2],
    ['usage of its choices', ofChoices(3, true), 3],
    ['the prompt only', (sink: FactSink) => sink.usage({ inputTokens: 5 }, true), 9],
    ['no token', usage(5, 0), 9],
    ['nothing', nothing, 9],
  ])('is by lists of tokens only what %s does not say', (_what, said, output_tokens) => {
    const scripts = [both(text('a'), ofLists(4)), both(text('b'), ofLists(9, true)), said];
    expect(run(scripts, 'upstream_end')).toMatchObject({ output_tokens, usage_source: 'reported' });
  });

  it('by lists is partial when it was cut, an estimate where one is missing, and no promise of a report', () => {
    const scripts = [both(text('a'), ofLists(4)), both(text('b'), ofLists(9))];
    expect(run(scripts, 'client_left', { terminal: 9 })).toMatchObject({ output_tokens: 9, usage_source: 'partial' });
    expect(run([...scripts, text('c')], 'upstream_end')).toMatchObject({ usage_source: 'estimated' });
    const request = metered([both(text('a'), ofLists(4, true))]);
    request.begin();
    request.arrive(10);
    request.finish();
    expect(request.account.expectsReport).toBe(false);
  });

  it('an answer in one body that nobody counts is none, until something was learned of its tokens', () => {
    const first = metered([text('some words')], { stream: false });
    first.begin();
    first.arrive(10);
    expect(first.finish()).toMatchObject({ usage_source: 'none', output_tokens: null });
    const { ledger, clock } = first;
    const taught = metered([text('abcd'), usage(1, 2)], { ledger, clock });
    taught.begin();
    taught.arrive(10, 2);
    taught.finish();
    const second = metered([text('eight ch')], { stream: false, ledger, clock });
    second.begin();
    second.arrive(10);
    expect(second.finish()).toMatchObject({ usage_source: 'estimated', output_tokens: 4 });
  });

  it('without estimates, nothing is counted early that may never be reported', () => {
    const request = metered([text('a'), text('b'), text('c')], { estimates: false });
    request.begin();
    request.arrive(10, 3);
    const counted = () => [...request.ledger.series()].reduce((sum, { outputTokens }) => sum + outputTokens, 0);
    expect(counted()).toBe(0);
    request.finish();
    expect(counted()).toBe(0);
  });

  it('counts every final number exactly once: counters less withheld equal the records', () => {
    const request = metered([text('aaaa'), text('bbbb'), usage(3, 50)]);
    request.begin();
    for (let event = 0; event < 3; event += 1) request.arrive(10);
    request.finish();
    const [series] = [...request.ledger.series()].filter(({ labels }) => labels.model === 'm');
    expect(series).toMatchObject({ outputTokens: 50, withheld: 0 });
  });

  it('characters are Unicode code points of all channels', () => {
    expect(run([text('🌍é'), text('漢字')], 'upstream_end')).toMatchObject({ output_characters: 4 });
  });
});
