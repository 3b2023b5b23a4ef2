import type { EncodingName } from './encoding.ts';
import { isObject } from './json-object.ts';
import type { ToolText } from './protocol.ts';

/**
 * What a function tool costs in a prompt, as OpenAI publishes it in the same cookbook
 * (`num_tokens_for_tools`): the texts below, and marks around them. It is their approximation, and
 * speaks of flat parameters; nested ones are counted here the same way.
 */
const PARAMETERS = 3;
const PARAMETER = 3;
const OPTIONS = -3;
const OPTION = 3;
const ALL_TOOLS = 12;
const TOOL = 7;
/** Of gpt-3.5 and gpt-4. */
const OLD_TOOL = 10;

/** Tokens of a request's tools beside their texts. */
export function toolOverhead(tools: readonly ToolText[], encoding: EncodingName): number {
  if (tools.length === 0) return 0;
  const each = encoding === 'o200k_base' ? TOOL : OLD_TOOL;
  return tools.reduce((sum, tool) => sum + each + tool.marks, ALL_TOOLS);
}

/** A function as OpenAI's or Anthropic's APIs are told of it; null for tools that the server itself brings. */
export function toolText(tool: unknown): ToolText | null {
  const definition = isObject(tool) && isObject(tool['function']) ? tool['function'] : tool;
  if (!isObject(definition) || typeof definition['name'] !== 'string') return null;
  const texts = [`${definition['name']}:${sentence(definition['description'])}`];
  const marks = readParameters(definition['parameters'] ?? definition['input_schema'], texts);
  return { texts, marks };
}

/** Adds the texts of an object's properties, and returns their marks. */
function readParameters(schema: unknown, texts: string[]): number {
  const properties = isObject(schema) && isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  if (properties.length === 0) return 0;
  let marks = PARAMETERS;
  for (const [name, property] of properties) {
    if (!isObject(property)) continue;
    const { type, description, enum: options, items } = property;
    texts.push(`${name}:${typeof type === 'string' ? type : ''}:${sentence(description)}`);
    marks += PARAMETER;
    if (Array.isArray(options)) {
      texts.push(...options.map(String));
      marks += OPTIONS + OPTION * options.length;
    }
    marks += readParameters(property, texts) + readParameters(items, texts);
  }
  return marks;
}

/** A description without the full stop at its end, which the model is not shown. */
function sentence(description: unknown): string {
  return typeof description === 'string' ? description.replace(/\.$/, '') : '';
}
