import type { Plan } from './plan.ts';

/** How one API writes an answer: its parts where it is streamed, else the whole. */
export interface Shape {
  readonly contentType: string;
  readonly opening: readonly string[];
  /** One for each part of the output, in turn. */
  readonly parts: readonly string[];
  /** What ends it, with the usage where it is told. */
  readonly closing: readonly string[];
  readonly whole: string;
}

const SSE = 'text/event-stream';
const JSON_TYPE = 'application/json';
const TEXT = 'All work and no play makes Jack a dull boy. ';

/** Tokens of a whole answer, as the upstream counts them: two for each part. */
export const tokensOf = (plan: Plan): number => plan.chunks * plan.choices * 2;
const INPUT_TOKENS = 11;

/** `tellsUsage`: the upstream was asked for it, or its API tells it always. */
export function shapeOf(plan: Plan, tellsUsage: boolean): Shape {
  switch (plan.api) {
    case 'chat':
      return chat(plan, tellsUsage);
    case 'completions':
      return completions(plan, tellsUsage);
    case 'responses':
      return responses(plan);
    case 'messages':
      return messages(plan);
    case 'ollama':
      return ollama(plan);
    case 'gemini':
      return gemini(plan);
    case 'embeddings':
      return json({
        object: 'list',
        data: [],
        model: plan.model,
        usage: { prompt_tokens: INPUT_TOKENS, total_tokens: INPUT_TOKENS },
      });
    case 'models':
      return json({ object: 'list', data: MODEL_LIST });
    default:
      return plan.api satisfies never;
  }
}

const MODEL_LIST = [{ id: 'llama-8b', object: 'model', owned_by: 'vllm' }];
const json = (body: object): Shape => ({
  contentType: JSON_TYPE,
  opening: [],
  parts: [],
  closing: [],
  whole: JSON.stringify(body),
});
const data = (fields: object): string => `data: ${JSON.stringify(fields)}\n\n`;
const named = (event: string, fields: object): string => `event: ${event}\n${data({ type: event, ...fields })}`;
const text = (part: number): string => `${TEXT.slice((part * 5) % 40, ((part * 5) % 40) + 5)} `;
const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => make(i));

const openaiUsage = (plan: Plan) => ({
  prompt_tokens: INPUT_TOKENS,
  completion_tokens: tokensOf(plan),
  total_tokens: INPUT_TOKENS + tokensOf(plan),
});

function chat(plan: Plan, tellsUsage: boolean): Shape {
  const head = { id: `chatcmpl-${plan.id}`, object: 'chat.completion.chunk', created: 1, model: plan.model };
  const choice = (index: number, delta: object, finish_reason: string | null) =>
    data({ ...head, choices: [{ index, delta, logprobs: null, finish_reason, stop_reason: null }] });
  const usage = openaiUsage(plan);
  return {
    contentType: `${SSE}; charset=utf-8`,
    opening: times(plan.choices, (index) => choice(index, { role: 'assistant', content: '' }, null)),
    parts: times(plan.chunks * plan.choices, (part) => choice(part % plan.choices, { content: text(part) }, null)),
    closing: [
      ...times(plan.choices, (index) => choice(index, {}, 'stop')),
      ...(tellsUsage ? [data({ ...head, choices: [], usage })] : []),
      'data: [DONE]\n\n',
    ],
    whole: JSON.stringify({
      ...head,
      object: 'chat.completion',
      choices: times(plan.choices, (index) => ({
        index,
        message: { role: 'assistant', content: TEXT.repeat(plan.chunks) },
        finish_reason: 'stop',
      })),
      usage,
    }),
  };
}

function completions(plan: Plan, tellsUsage: boolean): Shape {
  const head = { id: `cmpl-${plan.id}`, object: 'text_completion', created: 1, model: plan.model };
  const part = (content: string, finish_reason: string | null) =>
    data({ ...head, choices: [{ index: 0, text: content, logprobs: null, finish_reason }] });
  const usage = openaiUsage(plan);
  return {
    contentType: SSE,
    opening: [],
    parts: times(plan.chunks, (index) => part(text(index), null)),
    closing: [part('', 'stop'), ...(tellsUsage ? [data({ ...head, choices: [], usage })] : []), 'data: [DONE]\n\n'],
    whole: JSON.stringify({
      ...head,
      choices: [{ index: 0, text: TEXT.repeat(plan.chunks), finish_reason: 'stop' }],
      usage,
    }),
  };
}

function responses(plan: Plan): Shape {
  const usage = {
    input_tokens: INPUT_TOKENS,
    output_tokens: tokensOf(plan),
    total_tokens: INPUT_TOKENS + tokensOf(plan),
  };
  const response = (status: string, more: object) => ({
    id: `resp_${plan.id}`,
    object: 'response',
    status,
    model: plan.model,
    ...more,
  });
  const output = [
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: TEXT.repeat(plan.chunks) }] },
  ];
  return {
    contentType: SSE,
    opening: [named('response.created', { response: response('in_progress', { usage: null }) })],
    parts: times(plan.chunks, (index) =>
      named('response.output_text.delta', { item_id: 'msg', output_index: 0, content_index: 0, delta: text(index) }),
    ),
    closing: [named('response.completed', { response: response('completed', { usage }) })],
    whole: JSON.stringify(response('completed', { output, usage })),
  };
}

function messages(plan: Plan): Shape {
  const usage = { input_tokens: INPUT_TOKENS, output_tokens: tokensOf(plan) };
  const message = { id: `msg_${plan.id}`, type: 'message', role: 'assistant', model: plan.model };
  return {
    contentType: SSE,
    opening: [
      named('message_start', { message: { ...message, content: [], usage: { ...usage, output_tokens: 1 } } }),
      named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ],
    parts: times(plan.chunks, (index) =>
      named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: text(index) } }),
    ),
    closing: [
      named('content_block_stop', { index: 0 }),
      named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: tokensOf(plan) } }),
      named('message_stop', {}),
    ],
    whole: JSON.stringify({
      ...message,
      content: [{ type: 'text', text: TEXT.repeat(plan.chunks) }],
      stop_reason: 'end_turn',
      usage,
    }),
  };
}

function ollama(plan: Plan): Shape {
  const line = (content: string, more: object) =>
    `${JSON.stringify({ model: plan.model, message: { role: 'assistant', content }, done: false, ...more })}\n`;
  const end = { done: true, done_reason: 'stop', prompt_eval_count: INPUT_TOKENS, eval_count: tokensOf(plan) };
  return {
    contentType: plan.isStreamed ? 'application/x-ndjson' : JSON_TYPE,
    opening: [],
    parts: times(plan.chunks, (index) => line(text(index), {})),
    closing: [line('', end)],
    whole: line(TEXT.repeat(plan.chunks), end),
  };
}

function gemini(plan: Plan): Shape {
  const body = (content: string, more: object) => ({
    candidates: [{ content: { parts: [{ text: content }], role: 'model' }, index: 0, ...more }],
    modelVersion: plan.model,
  });
  const usageMetadata = {
    promptTokenCount: INPUT_TOKENS,
    candidatesTokenCount: tokensOf(plan),
    totalTokenCount: INPUT_TOKENS + tokensOf(plan),
  };
  return {
    contentType: plan.isStreamed ? SSE : JSON_TYPE,
    opening: [],
    parts: times(plan.chunks, (index) => data(body(text(index), {}))),
    closing: [data({ ...body('', { finishReason: 'STOP' }), usageMetadata })],
    whole: JSON.stringify({ ...body(TEXT.repeat(plan.chunks), { finishReason: 'STOP' }), usageMetadata }),
  };
}
