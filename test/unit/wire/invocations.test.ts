import { describe, expect, it } from 'vitest';
import { invocations } from '../../../src/wire/dialects/invocations.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { EVENT_STREAM, FactLog, JSON_BODY } from '../../helpers/fact-log.ts';
import { content, finish, lastText, role, stream, text, usageChunk } from '../../helpers/openai-chunks.ts';
import { dialectLaws } from './laws.ts';

const CHAT = stream(role(), content('Hello'), finish(), usageChunk(7, 2));
const TEXT = stream(text('Hello'), lastText(''), usageChunk(7, 2));
const TGI = '[{"generated_text":"Hello"}]';

describe('the laws of a dialect, for …/invocations', () => {
  dialectLaws(invocations, {
    answers: [
      { name: 'chat', head: EVENT_STREAM, body: CHAT },
      { name: 'text', head: EVENT_STREAM, body: TEXT },
      { name: 'TGI', head: JSON_BODY, body: TGI },
    ],
    withoutOutput: [{ name: 'role and finish', head: EVENT_STREAM, body: stream(role(), finish()) }],
  });
});

describe('an invocation', () => {
  it.each([
    [EVENT_STREAM, CHAT, null],
    [EVENT_STREAM, TEXT, 'openai.completions'],
    [JSON_BODY, TGI, 'tgi.generate'],
  ])('is read by the shape of its answer', (head, body, api) => {
    const log = new FactLog();
    const opened = invocations.open(head, log, 10_000);
    opened?.reader.push(Buffer.from(body));
    opened?.reader.end(true);
    expect([log.text(), opened?.api, opened?.reader.complete]).toEqual(['Hello', api, true]);
  });

  it.each([
    ['/invocations', null],
    ['/serving-endpoints/dbrx/invocations', 'dbrx'],
  ])('is POST %s', (path, modelFromPath) => {
    expect(endpointOf('POST', path)).toMatchObject({ api: 'openai.chat', generation: true, modelFromPath });
  });
});
