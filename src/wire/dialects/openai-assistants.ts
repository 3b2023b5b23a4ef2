import { CountReader } from '../counts.ts';
import type { Dialect, FactSink } from '../facts.ts';
import { array, type JsonObject, object, string } from '../json.ts';
import { type MessageReader, openMessages } from '../message-answer.ts';
import { ModelName } from '../model-name.ts';
import { readOpenaiUsage } from './openai-usage.ts';
import { say, sayCall } from './say.ts';

/** `POST …/threads/…/runs` and its kin (FORMATS §14). The messages tell what they are by `object`. */
export const openaiAssistants: Dialect = {
  api: 'openai.assistants',
  open: (head, sink, eventBytes) => openMessages(head, new RunMessages(sink), { sink, eventBytes }),
};

/** A run in one of these is over, and so is its stream. */
const LAST_STATES = new Set(['completed', 'requires_action', 'incomplete', 'failed', 'cancelled', 'expired']);
const FAILED_STATES = new Set(['failed', 'expired']);

class RunMessages implements MessageReader {
  readonly #sink: FactSink;
  readonly #counts: CountReader;
  readonly #name: ModelName;
  #isOver = false;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#counts = new CountReader(sink);
    this.#name = new ModelName(sink);
  }

  get complete(): boolean {
    return this.#isOver;
  }

  message(message: JsonObject): void {
    switch (message['object']) {
      case 'thread.run':
        this.#readRun(message);
        break;
      case 'thread.message.delta':
        for (const part of array(object(message['delta'])?.['content'])) this.#readPart(object(part));
        break;
      case 'thread.run.step.delta': {
        const details = object(object(message['delta'])?.['step_details']);
        for (const call of array(details?.['tool_calls'])) this.#readCall(object(call));
        break;
      }
    }
  }

  end(): void {}

  /** Its usage is that of all its steps. */
  #readRun(run: JsonObject): void {
    this.#name.read(run['model']);
    const usage = object(run['usage']);
    const said = usage === null ? null : readOpenaiUsage(usage, this.#counts);
    if (said !== null) this.#sink.usage(said, true);
    const state = string(run['status']);
    if (!LAST_STATES.has(state) || this.#isOver) return;
    this.#isOver = true;
    if (FAILED_STATES.has(state)) this.#sink.failed();
    const reason = string(object(run['incomplete_details'])?.['reason']);
    this.#sink.choiceEnded(0, reason === '' ? state : `${state}:${reason}`);
  }

  #readPart(part: JsonObject | null): void {
    say(this.#sink, 'content', object(part?.['text'])?.['value']);
    say(this.#sink, 'refusal', part?.['refusal']);
  }

  /** The code that the model wrote, or its call of a function; not what came of it. */
  #readCall(call: JsonObject | null): void {
    say(this.#sink, 'tool', object(call?.['code_interpreter'])?.['input']);
    const called = object(call?.['function']);
    if (called !== null) sayCall(this.#sink, called['name'], called['arguments']);
  }
}
