import { isObject } from './json-object.ts';
import type { ChatMessage, InputText, RequestBody, ToolText } from './protocol.ts';
import { toolText } from './tool-text.ts';

const decoder = new TextDecoder();

/** The prompt in a request body of the OpenAI, Anthropic or Ollama kind; null where there is none to be found. */
export function readInput(body: RequestBody): InputText | null {
  try {
    return inputOf(JSON.parse(decoder.decode(body.json)));
  } catch {
    // A body that is no JSON, or was cut, holds no prompt that could be counted.
    return null;
  }
}

/** The prompt in a parsed request body: `messages`, `input` (responses) or `prompt` (completions). */
export function inputOf(body: unknown): InputText | null {
  if (!isObject(body)) return null;
  const prompt = new PromptReader();
  const { system, instructions, messages, input, prompt: prompts } = body;
  // Anthropic's and Ollama's `system` and the responses API's `instructions` are messages beside the list.
  if (system !== undefined) prompt.message({ role: 'system', content: system });
  if (instructions !== undefined) prompt.message({ role: 'system', content: instructions });
  if (Array.isArray(messages)) for (const message of messages) prompt.message(message);
  else if (Array.isArray(input)) for (const item of input) prompt.message(item);
  else if (typeof input === 'string') prompt.message({ role: 'user', content: input });
  else if (prompts !== undefined && prompts !== null) prompt.raw(prompts);
  else return null;
  for (const tools of [body['tools'], body['functions']]) {
    if (Array.isArray(tools)) for (const tool of tools) prompt.tool(tool);
  }
  const format = body['response_format'];
  if (isObject(format)) prompt.extra(format['json_schema']);
  return prompt.found;
}

/** Every text of a prompt that is tokenized by itself. */
export function textsOf(input: InputText): string[] {
  const ofMessages = input.messages.flatMap(({ role, name, texts }) => [role, name ?? '', ...texts]);
  const ofTools = input.tools.flatMap((tool) => tool.texts);
  return [...ofMessages, ...input.prompts, ...ofTools, ...input.extras];
}

/** Gathers the texts of one prompt. */
class PromptReader {
  readonly #messages: ChatMessage[] = [];
  readonly #prompts: string[] = [];
  readonly #tools: ToolText[] = [];
  readonly #extras: string[] = [];
  #tokens = 0;
  #isPartial = false;

  get found(): InputText {
    return {
      messages: this.#messages,
      prompts: this.#prompts,
      tools: this.#tools,
      extras: this.#extras,
      tokens: this.#tokens,
      isPartial: this.#isPartial,
    };
  }

  message(message: unknown): void {
    if (!isObject(message)) return;
    const { role, name, content, type } = message;
    if (content === undefined && typeof type === 'string' && type !== 'message') {
      // An item of the responses API that is no message: a tool call, its output, reasoning.
      this.#call(message);
      return;
    }
    const texts: string[] = [];
    for (const part of Array.isArray(content) ? content : [content]) this.#part(part, texts);
    this.#messages.push({
      role: typeof role === 'string' ? role : '',
      name: typeof name === 'string' ? name : null,
      texts,
    });
    const { tool_calls: calls, function_call: call } = message;
    for (const made of Array.isArray(calls) ? calls : [call])
      this.#call(isObject(made) ? (made['function'] ?? made) : made);
  }

  tool(tool: unknown): void {
    const text = toolText(tool);
    if (text === null) this.#isPartial = true;
    else this.#tools.push(text);
  }

  /** A completion's prompt: text, token numbers, or a list of either. */
  raw(prompt: unknown): void {
    if (typeof prompt === 'string') this.#prompts.push(prompt);
    else if (typeof prompt === 'number') this.#tokens += 1;
    else if (Array.isArray(prompt)) for (const part of prompt) this.raw(part);
  }

  /** A string as it is, anything else as JSON. */
  extra(value: unknown): void {
    if (typeof value === 'string') this.#extras.push(value);
    else if (value !== undefined && value !== null) this.#extras.push(JSON.stringify(value));
  }

  /** Of a call to a tool or its answer: what the model wrote or reads. Identifiers are for the caller. */
  #call(call: unknown): void {
    if (!isObject(call)) return;
    for (const key of ['name', 'arguments', 'input', 'output']) this.extra(call[key]);
  }

  #part(part: unknown, texts: string[]): void {
    if (typeof part === 'string') texts.push(part);
    else if (isObject(part) && typeof part['text'] === 'string') texts.push(part['text']);
    else if (part !== undefined && part !== null) this.#isPartial = true;
  }
}
