import { asBuffer } from './framing/byte-store.ts';
import { count, string } from './json.ts';
import { type MemberPlace, scanMembers } from './json-scan.ts';
import { countPrompts } from './prompt-count.ts';
import { type PromptEcho, PromptEchoScan } from './prompt-echo.ts';

/** What the request body says at its top level. Null: the key is absent, or its value is not of that type. */
export interface RequestFacts {
  model: string | null;
  stream: boolean | null;
  user: string | null;
  /** How many answers were asked for (`n`). */
  choices: number | null;
  /** How many prompts it holds, where it may hold several (`prompt`; SGLang's `text` and `input_ids`). */
  prompts: number | null;
  /** It says something of usage reports: `stream_options` or `include_usage` is a key, whatever its value. */
  setsUsage: boolean;
  /** The prompt will come back in the answer, or may. */
  echo: PromptEcho | null;
}

/** Of a request that says nothing. */
export const NO_FACTS: Readonly<RequestFacts> = {
  model: null,
  stream: null,
  user: null,
  choices: null,
  prompts: null,
  setsUsage: false,
  echo: null,
};

/** Longest key in bytes that can still be one of ours: 23 letters, each escaped as `\u006d`, and the quotes. */
const LONGEST_KEY_BYTES = 140;

/**
 * Reads the body or a cut beginning of it; of a cut one, what stands whole in it. Null when it does
 * not begin a JSON object. As in JSON.parse, the last of duplicate keys wins. Never throws.
 */
export function readRequestFacts(body: Uint8Array): RequestFacts | null {
  return scanRequest(body)?.facts ?? null;
}

/** `readRequestFacts`, and where the scan came to its end: at the closing brace, where the object is whole. */
export function scanRequest(body: Uint8Array): { facts: RequestFacts; end: number } | null {
  const text = asBuffer(body);
  const facts: RequestFacts = { ...NO_FACTS };
  const echo = new PromptEchoScan(text);
  const end = scanMembers(text, (place) => {
    if (place.keyEnd - place.keyStart > LONGEST_KEY_BYTES) return;
    const key = scalarAt(text, place.keyStart, place.keyEnd);
    readMember(text, { key, place }, facts);
    echo.see(key, place);
  });
  if (end < 0) return null;
  facts.echo = echo.result;
  return { facts, end };
}

interface Member {
  key: unknown;
  place: Readonly<MemberPlace>;
}

function readMember(body: Buffer, { key, place }: Member, facts: RequestFacts): void {
  switch (key) {
    case 'model':
      facts.model = string(scalarAt(body, place.valueStart, place.valueEnd)) || null;
      break;
    case 'user':
      facts.user = string(scalarAt(body, place.valueStart, place.valueEnd)) || null;
      break;
    case 'n':
      facts.choices = count(scalarAt(body, place.valueStart, place.valueEnd));
      break;
    case 'prompt':
    case 'text':
    case 'input_ids':
      facts.prompts = countPrompts(body, place.valueStart, place.valueEnd);
      break;
    case 'stream_options':
    case 'include_usage':
      facts.setsUsage = true;
      break;
    case 'stream': {
      const stream = scalarAt(body, place.valueStart, place.valueEnd);
      facts.stream = typeof stream === 'boolean' ? stream : null;
      break;
    }
  }
}

/** The scalar that stands there; undefined for objects and lists, which none of our keys has, and for no JSON. */
function scalarAt(body: Buffer, from: number, to: number): unknown {
  if (body[from] === 0x7b || body[from] === 0x5b) return undefined;
  try {
    return JSON.parse(body.toString('utf8', from, to));
  } catch {
    return undefined;
  }
}
