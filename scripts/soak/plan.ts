import { pick, type Random } from '../../src/demo/random.ts';

/** What the traffic consists of: everything that a production sees, and more of its faults. */

export const APIS = [
  'chat',
  'completions',
  'responses',
  'messages',
  'ollama',
  'gemini',
  'embeddings',
  'models',
] as const;
export type SoakApi = (typeof APIS)[number];

/** What the upstream does with a request. */
export type Fate =
  | 'answer'
  | 'refuse'
  | 'error-in-stream'
  | 'truncate'
  | 'reset-before'
  | 'reset-after'
  | 'silent'
  | 'stall';

/** When the client goes away by itself; null where it stays to the end. */
export type Leaving = 'prefill' | 'midway';

/** One request, and all that happens to it. Travels to the upstream in a header. */
export interface Plan {
  /** Its `x-request-id`, unique over the run. */
  readonly id: string;
  readonly api: SoakApi;
  readonly model: string;
  readonly isStreamed: boolean;
  /** What the request says of usage; `open` leaves it to Pitot to ask. Where the API knows no such thing, `open`. */
  readonly usage: 'asked' | 'declined' | 'open';
  readonly choices: number;
  readonly chunks: number;
  readonly everyMs: number;
  readonly isGzipped: boolean;
  readonly fate: Fate;
  readonly leaves: Leaving | null;
  readonly bodyBytes: number;
  readonly key: string;
  readonly isBatch: boolean;
  /** A prefix by which the configuration tells upstreams apart. */
  readonly route: '' | '/impatient' | '/nowhere' | '/by-model';
}

/** How often each comes, of all of them together. */
const WEIGHTED_FATES: readonly [Fate, number][] = [
  ['answer', 100],
  ['refuse', 6],
  ['error-in-stream', 4],
  ['truncate', 4],
  ['reset-before', 3],
  ['reset-after', 4],
  ['silent', 2],
  ['stall', 2],
];
const MODELS = ['llama-8b', 'llama-70b', 'qwen-72b', 'mistral-7b'] as const;
const KEYS = Array.from({ length: 24 }, (_, index) => `sk-soak-${index}`);

export function planned(number: number, random: Random): Plan {
  const api = pick<SoakApi>(random, ['chat', 'chat', 'chat', 'chat', ...APIS]);
  const fate = fateOf(random);
  const chance = (share: number) => random() < share;
  const isGenerating = api !== 'embeddings' && api !== 'models';
  const knowsUsage = api === 'chat' || api === 'completions';
  const usage = knowsUsage ? pick<Plan['usage']>(random, ['asked', 'declined', 'open', 'open']) : 'open';
  // Who waits for nothing must be let go by Pitot.
  const isWaiting = fate === 'silent' || fate === 'stall';
  return {
    id: `soak-${number}`,
    api,
    // Some names that no answer will confirm: they must mint no series.
    model: fate === 'refuse' ? `nobody-${number}` : pick(random, MODELS),
    isStreamed: isGenerating && (chance(0.75) || isWaiting),
    usage,
    choices: api === 'chat' && chance(0.15) ? 3 : 1,
    chunks: 1 + Math.floor(random() * 30),
    everyMs: pick(random, [0, 1, 2, 5, 10]),
    // An asked answer that comes compressed is the last that is asked: the question must be the client's own.
    isGzipped: usage === 'asked' && chance(0.3),
    fate,
    leaves: isGenerating && fate === 'answer' && chance(0.1) ? pick<Leaving>(random, ['prefill', 'midway']) : null,
    bodyBytes: chance(0.03) ? 300_000 : Math.floor(random() * 2_000),
    key: pick(random, KEYS as [string, ...string[]]),
    isBatch: chance(0.2),
    route: isWaiting
      ? '/impatient'
      : pick(random, ['', '', '', '', '', '', '/by-model', chance(0.15) ? '/nowhere' : '']),
  };
}

function fateOf(random: Random): Fate {
  const total = WEIGHTED_FATES.reduce((sum, [, weight]) => sum + weight, 0);
  let left = random() * total;
  for (const [fate, weight] of WEIGHTED_FATES) {
    left -= weight;
    if (left < 0) return fate;
  }
  return 'answer';
}
