import type { Channel, FactSink } from '../facts.ts';
import { object } from '../json.ts';

/** Payload of an API that gives one choice. Anything but a text that is not empty is none. */
export function say(sink: FactSink, channel: Channel, text: unknown): void {
  if (typeof text === 'string' && text !== '') sink.output(0, channel, text);
}

/** The call of a tool, or a piece of it. Whole input is an object; a stream opens a call with an empty one. */
export function sayCall(sink: FactSink, name: unknown, input: unknown): void {
  say(sink, 'tool', name);
  const whole = object(input);
  if (whole === null) say(sink, 'tool', input);
  else if (Object.keys(whole).length > 0) say(sink, 'tool', JSON.stringify(whole));
}
