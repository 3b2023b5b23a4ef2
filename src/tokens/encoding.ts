import { getEncodingNameForModel, type TiktokenEncoding, type TiktokenModel } from 'js-tiktoken/lite';

export type EncodingName = TiktokenEncoding;

/** How the text of a model is counted. */
export interface ModelEncoding {
  name: EncodingName;
  /** The encoding is the model's own; false where it stands in for a tokenizer that is not here. */
  isOwn: boolean;
  /** The model speaks OpenAI's harmony format: it reasons, mostly unseen, and its prompts end one token sooner. */
  isHarmony: boolean;
}

/** For the many models whose tokenizer is not here: their vocabularies are nearer to its size than to older ones. */
const STAND_IN: EncodingName = 'o200k_base';

/**
 * Recorded answers contradict js-tiktoken's table, and OpenAI's own tiktoken agrees with them: the
 * second davinci and babbage are counted with cl100k. Their answers carry the dated names.
 */
const CORRECTED: ReadonlySet<string> = new Set([
  'davinci-002',
  'babbage-002',
  'davinci:2023-07-21-v2',
  'babbage:2023-07-21-v2',
]);

const HARMONY = /^(gpt-5(?!.*chat)|gpt-oss|o\d)/;

/** Families, for the names that the table does not hold (new dates, sizes and versions). First match wins. */
const FAMILIES: readonly [RegExp, EncodingName][] = [
  [/^(gpt-4o|gpt-4\.|gpt-5|gpt-oss|chatgpt-|gpt-audio|gpt-realtime|o\d)/, 'o200k_base'],
  [/^(gpt-4|gpt-3\.5|gpt-35|text-embedding-)/, 'cl100k_base'],
];

/** The encoding of a model, by its name as requested or answered: never throws, and knows every name. */
export function encodingOf(model: string | null): ModelEncoding {
  const name = bareName(model ?? '');
  const own = CORRECTED.has(name) ? 'cl100k_base' : (tableEncoding(name) ?? familyEncoding(name));
  return { name: own ?? STAND_IN, isOwn: own !== null, isHarmony: HARMONY.test(name) };
}

/** Without a router's provider in front (`openai/gpt-4o`), and the base of a fine-tuned model (`ft:gpt-4o:org::id`). */
function bareName(model: string): string {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  if (name.startsWith('ft:')) return name.split(':')[1] ?? '';
  return CORRECTED.has(name) ? name : (name.split(':')[0] ?? '');
}

function tableEncoding(name: string): EncodingName | null {
  try {
    // The table takes any string and throws on the ones it does not hold; its type lists those it does.
    return getEncodingNameForModel(name as TiktokenModel);
  } catch {
    return null;
  }
}

function familyEncoding(name: string): EncodingName | null {
  return FAMILIES.find(([family]) => family.test(name))?.[1] ?? null;
}
