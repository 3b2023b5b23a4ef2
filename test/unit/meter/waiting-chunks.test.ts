import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Ledger } from '../../../src/ledger/ledger.ts';
import type { UncountedText } from '../../../src/meter/local-counting.ts';
import type { Ending } from '../../../src/meter/outcome.ts';
import { openaiChat } from '../../../src/wire/dialects/openai-chat.ts';
import { localCounting } from '../../helpers/local-counting.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { metered } from '../../helpers/metered.ts';
import { content, cutStream, delta, finish, role, usage, usageChunk } from '../../helpers/openai-chunks.ts';
import { anyText } from '../../helpers/text-arbitrary.ts';

const DONE = 'data: [DONE]\n\n';

const words = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(' the', ' über', ' 的', ' 😀', 'a') },
  { weight: 1, arbitrary: anyText },
);
const choice = fc.constantFrom(0, 0, 0, 0, 1);

/** Streams of events that are mostly alike, and everything that may come between them. */
const events = fc.oneof(
  { weight: 12, arbitrary: fc.tuple(words, choice).map(([text, of]) => cutStream(content(text, {}, of))) },
  { weight: 4, arbitrary: fc.tuple(words, choice).map(([text, of]) => cutStream(delta({ reasoning: text }, {}, of))) },
  { weight: 2, arbitrary: words.map((text) => cutStream(delta({ tool_calls: [{ function: { arguments: text } }] }))) },
  { weight: 1, arbitrary: fc.tuple(words, fc.nat(60)).map(([text, of]) => cutStream(content(text, usage(7, of)))) },
  { weight: 1, arbitrary: fc.nat(60).map((tokens) => cutStream(delta({}, usage(7, tokens)))) },
  { weight: 1, arbitrary: choice.map((of) => cutStream(finish('stop', {}, of))) },
  { weight: 1, arbitrary: fc.tuple(choice, fc.nat(60)).map(([of, n]) => cutStream(finish('stop', usage(7, n), of))) },
  { weight: 1, arbitrary: fc.nat(60).map((tokens) => cutStream(usageChunk(7, tokens))) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      DONE,
      ': ping\n\n',
      'data: nonsense\n\n',
      cutStream(role()),
      cutStream(content('late', { model: 'other' })),
      cutStream({ error: { message: 'quota' } }),
      `data: ${'x'.repeat(3_000)}\n\n`,
    ),
  },
);

/** One read: how much later it comes, how many alike, and who looks at it afterwards. */
const reads = fc.array(
  fc.record({
    afterMs: fc.constantFrom(0, 1, 20, 20, 21.5, 700),
    event: events,
    times: fc.constantFrom(1, 1, 1, 2, 5, 20),
    isOneRead: fc.boolean(),
    look: fc.constantFrom(null, null, null, 'backlog', 'heard', 'soFar'),
  }),
  { minLength: 1, maxLength: 25 },
);
type Reads = typeof reads extends fc.Arbitrary<infer T> ? T : never;

const setting = fc.record({
  choices: fc.constantFrom(1, 1, 2, 3),
  estimates: fc.constantFrom(true, true, false),
  countsHere: fc.boolean(),
  setsUsage: fc.boolean(),
  echo: fc.constantFrom(null, null, { texts: ['a'], isAsked: true }),
  kind: fc.constantFrom<Ending['kind']>(
    'upstream_end',
    'upstream_end',
    'upstream_reset',
    'client_left',
    'gateway_shutdown',
  ),
});
type Setting = typeof setting extends fc.Arbitrary<infer T> ? T : never;

/** Meters the answers one after the other. `isApart`: no chunk waits, and none begins with an event, so that none is compared with the one before. */
async function run(answers: readonly Reads[], setting: Setting, isApart: boolean) {
  const clock = new ManualClock();
  const moves: unknown[] = [];
  const activity = {
    tokens: (...move: unknown[]) => moves.push(['tokens', ...move]),
    spread: (...move: unknown[]) => moves.push(['spread', ...move]),
    worked: (...move: unknown[]) => moves.push(['worked', ...move]),
    phase: (...move: unknown[]) => moves.push(['phase', ...move]),
  };
  const ledger = new Ledger({ clock, maxLabelSets: 200, maxModels: 100, activityOf: () => activity });
  const looks: unknown[] = [];
  const ends: unknown[] = [];
  for (const answer of answers) {
    const texts: UncountedText[] = [];
    const counting = localCounting(async (text) => {
      texts.push(text);
      return { outputTokens: 11, inputTokens: 3 };
    });
    const request = metered([], {
      clock,
      ledger,
      dialect: openaiChat,
      eventBytes: 2_000,
      facts: { choices: setting.choices, echo: setting.echo },
      setsUsage: setting.setsUsage,
      estimates: setting.estimates,
      ...(setting.countsHere ? { localCounting: counting } : {}),
    });
    request.begin();
    for (const { afterMs, event, times, isOneRead, look } of answer) {
      const bytes = Buffer.from(isOneRead ? event.repeat(times) : event);
      for (let read = 0; read < (isOneRead ? 1 : times); read += 1) {
        clock.advance(afterMs);
        if (isApart) request.meter.chunk(bytes.subarray(0, 1), clock.nowMs());
        request.meter.chunk(isApart ? bytes.subarray(1) : bytes, clock.nowMs());
        if (isApart) request.backlog.catchUp();
      }
      if (look === 'backlog') {
        request.backlog.catchUp();
        looks.push([request.account.now, { ...request.account.labels }]);
      } else if (look !== null) looks.push(request.meter[look]);
    }
    clock.advance(5);
    request.meter.finish({ kind: setting.kind, status: 200, error: null }, clock.nowMs());
    await new Promise((resolve) => setImmediate(resolve));
    request.backlog.catchUp();
    const { finished, degraded, firstTokens } = request;
    ends.push([finished, degraded, firstTokens, texts, counting.results]);
  }
  const counters = [...ledger.series()].map(({ labels, outputTokens, withheld }) => [labels, outputTokens, withheld]);
  return { ends, looks, moves, counters };
}

describe('chunks that wait to be read', () => {
  it('come to the same as if each had been read at once and parsed, whoever looks when', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(reads, { minLength: 1, maxLength: 2 }), setting, async (answers, how) => {
        expect(await run(answers, how, false)).toEqual(await run(answers, how, true));
      }),
      { numRuns: 1_500 },
    );
  });
});
