import type { Dialect } from '../facts.ts';
import { openFrames } from '../frame-answer.ts';
import { ConverseMessages } from './converse-messages.ts';

/** `POST /model/{id}/converse` and `/converse-stream` of AWS Bedrock (FORMATS §13). */
export const bedrockConverse: Dialect = {
  api: 'bedrock.converse',
  open(head, sink, eventBytes) {
    return openFrames(head, new ConverseMessages(sink), { sink, eventBytes });
  },
};
