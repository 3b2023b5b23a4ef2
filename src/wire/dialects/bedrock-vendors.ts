import type { CountReader } from '../counts.ts';
import type { FactSink, UsageSnapshot } from '../facts.ts';
import { array, type JsonObject, object } from '../json.ts';
import type { MessageReader } from '../message-answer.ts';
import { ANTHROPIC_COMPLETE } from './anthropic-complete.ts';
import { AnthropicMessages } from './anthropic-messages.ts';
import { CohereV1 } from './cohere-v1.ts';
import { ConverseMessages } from './converse-messages.ts';
import { TextPayload } from './openai-completions.ts';
import { OpenaiMessages } from './openai-messages.ts';
import { onlyChoice, TextMessages, type TextShape, textUsage } from './text-messages.ts';

/** A vendor, known by keys of its own: any of them in a message tells. */
interface Vendor {
  readonly keys: readonly string[];
  readonly reader: (sink: FactSink) => MessageReader;
}

const text =
  (shape: TextShape) =>
  (sink: FactSink): MessageReader =>
    new TextMessages(shape, sink);

/** Whose JSON it is that Bedrock's `invoke` passes through, first match first. */
const VENDORS: readonly Vendor[] = [
  { keys: ['completion'], reader: text(ANTHROPIC_COMPLETE) },
  { keys: ['type'], reader: (sink) => new AnthropicMessages(sink) },
  {
    // gpt-oss, Qwen, Jamba, DeepSeek, Mistral's chat models: text or chat
    keys: ['choices'],
    reader: (sink) => new OpenaiMessages(sink, { payload: new TextPayload(sink), promptsAddUp: false }),
  },
  { keys: ['event_type', 'response_id'], reader: (sink) => new CohereV1(sink) },
  // Nova
  {
    keys: ['messageStart', 'contentBlockDelta', 'contentBlockStart', 'output'],
    reader: (sink) => new ConverseMessages(sink),
  },
  {
    // Titan; its embeddings have the input count alone
    keys: ['outputText', 'inputTextTokenCount', 'results'],
    reader: text({ choices: titanChoices, text: 'outputText', reason: 'completionReason', usage: titanUsage }),
  },
  {
    // Llama
    keys: ['generation'],
    reader: text({
      choices: onlyChoice,
      text: 'generation',
      reason: 'stop_reason',
      usage: (message, counts) =>
        textUsage(message, counts, { input: 'prompt_token_count', output: 'generation_token_count' }),
    }),
  },
  // Mistral
  {
    keys: ['outputs'],
    reader: text({ choices: (message) => array(message['outputs']), text: 'text', reason: 'stop_reason' }),
  },
  // Cohere Command: in a body, and in a stream
  {
    keys: ['generations'],
    reader: text({ choices: (message) => array(message['generations']), text: 'text', reason: 'finish_reason' }),
  },
  { keys: ['is_finished'], reader: text({ choices: onlyChoice, text: 'text', reason: 'finish_reason' }) },
  // AI21 Jurassic
  { keys: ['completions'], reader: text({ choices: jurassicChoices, text: 'text', reason: 'reason' }) },
];

/** A reader for answers of the vendor whose message this is; null when nobody's keys are in it. */
export function vendorOf(message: JsonObject, sink: FactSink): MessageReader | null {
  const vendor = VENDORS.find(({ keys }) => keys.some((key) => message[key] !== undefined));
  return vendor === undefined ? null : vendor.reader(sink);
}

function titanChoices(message: JsonObject): readonly unknown[] {
  return message['results'] === undefined ? [message] : array(message['results']);
}

/** Where a guardrail wrote the text, the counts are of its text ("Input blocked": 3), not of the model's. */
function titanUsage(message: JsonObject, counts: CountReader): UsageSnapshot {
  if (message['amazon-bedrock-guardrailAction'] === 'INTERVENED') return {};
  const usage = textUsage(message, counts, { input: 'inputTextTokenCount', output: 'totalOutputTextTokenCount' });
  const results = array(message['results']);
  const output = counts.sum(results.map((result) => counts.read(object(result)?.['tokenCount'])));
  if (results.length > 0 && output !== undefined) usage.outputTokens = output;
  return usage;
}

function jurassicChoices(message: JsonObject): readonly unknown[] {
  return array(message['completions']).map((value) => {
    const completion = object(value);
    return {
      text: object(completion?.['data'])?.['text'],
      reason: object(completion?.['finishReason'])?.['reason'],
    };
  });
}
