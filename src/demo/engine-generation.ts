import type { ServerResponse } from 'node:http';
import { type AnswerIdentity, AnswerShapes, errorBody } from './engine-answers.ts';
import { type OrderedFailure, orderedError } from './engine-failure.ts';
import type { EngineLoop } from './engine-loop.ts';
import type { Generation } from './engine-request.ts';
import { simulatedText } from './engine-text.ts';

/** One generation to be answered. */
export interface Answering {
  generation: Generation;
  identity: AnswerIdentity;
  failure: OrderedFailure | null;
  response: ServerResponse;
  loop: EngineLoop;
}

/** Runs one generation and writes its answer. A client that leaves frees the request's place at once. */
export function answerGeneration(answering: Answering): void {
  if (answering.generation.stream) streamAnswer(answering);
  else wholeAnswer(answering);
}

function streamAnswer({ generation, identity, failure, response, loop }: Answering): void {
  const shapes = new AnswerShapes(generation, identity);
  const breakAfterTokens = failure !== null && 'afterTokens' in failure ? failure.afterTokens : null;
  let sentTokens = 0;
  const id = loop.submit(generation, (tokens, finished) => {
    if (failure !== null && breakAfterTokens !== null && sentTokens >= breakAfterTokens) {
      loop.cancel(id);
      breakStream(response, failure);
      return;
    }
    const text = simulatedText(sentTokens, tokens);
    sentTokens += tokens;
    const part = shapes.part({ text, outputTokens: sentTokens, finished });
    if (finished) response.end(part + shapes.closing());
    else response.write(part);
  });
  response.once('close', () => loop.cancel(id));
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const opening = shapes.opening();
  if (opening === null) response.flushHeaders();
  else response.write(opening);
}

function breakStream(response: ServerResponse, failure: OrderedFailure): void {
  if (failure.kind === 'cut') response.destroy();
  else if (failure.kind === 'error') response.end(`data: ${errorBody(orderedError(500))}\n\ndata: [DONE]\n\n`);
  else response.end();
}

function wholeAnswer({ generation, identity, failure, response, loop }: Answering): void {
  const id = loop.submit(generation, (_tokens, finished) => {
    if (!finished) return;
    if (failure?.kind === 'cut') response.destroy();
    else if (failure !== null) sendJson(response, 500, errorBody(orderedError(500)));
    else {
      const text = simulatedText(0, generation.outputTokens);
      sendJson(response, 200, new AnswerShapes(generation, identity).whole(text));
    }
  });
  response.once('close', () => loop.cancel(id));
}

export function sendJson(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
