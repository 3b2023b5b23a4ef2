import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import { errorBody } from './engine-answers.ts';
import { FAILURE_HEADER, type OrderedFailure, orderedError, readFailureOrder } from './engine-failure.ts';
import { answerGeneration, sendJson } from './engine-generation.ts';
import type { EngineLoop } from './engine-loop.ts';
import { engineMetrics } from './engine-metrics.ts';
import type { EngineModel } from './engine-model.ts';
import {
  CONTEXT_WINDOW_TOKENS,
  DEMO_MODEL,
  type GenerationApi,
  type Refusal,
  understandGeneration,
} from './engine-request.ts';
import type { Random } from './random.ts';

const BODY_LIMIT_BYTES = 8 * 1024 * 1024;

/** What the routes of one running engine share. */
export interface EngineSite {
  readonly model: EngineModel;
  readonly loop: EngineLoop;
  readonly clock: Clock;
  readonly random: Random;
  answers: number;
}

export function routeToEngine(site: EngineSite, request: IncomingMessage, response: ServerResponse): void {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  switch (`${request.method} ${path}`) {
    case 'POST /v1/chat/completions':
      receive(site, 'chat', { request, response });
      break;
    case 'POST /v1/completions':
      receive(site, 'completions', { request, response });
      break;
    case 'GET /v1/models':
      sendJson(response, 200, modelList());
      break;
    case 'GET /health':
      response.end();
      break;
    case 'GET /metrics':
      response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8');
      response.end(engineMetrics(site.model.truth()));
      break;
    default:
      refuse(response, { status: 404, type: 'NotFoundError', message: 'Not Found' });
  }
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

interface ReceivedRequest extends Exchange {
  body: string;
}

function receive(site: EngineSite, api: GenerationApi, exchange: Exchange): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  exchange.request.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= BODY_LIMIT_BYTES) pieces.push(piece);
  });
  exchange.request.on('end', () => {
    if (bytes <= BODY_LIMIT_BYTES) obey(site, api, { ...exchange, body: Buffer.concat(pieces).toString() });
    else refuse(exchange.response, badRequest(413, `the body is over ${BODY_LIMIT_BYTES} bytes`));
  });
}

/** Fails where the request orders it; generates otherwise. */
function obey(site: EngineSite, api: GenerationApi, received: ReceivedRequest): void {
  const { request, response } = received;
  const order = readFailureOrder(request.headers[FAILURE_HEADER]);
  if (order.kind === 'unknown') refuse(response, badRequest(400, `no such failure in ${FAILURE_HEADER}`));
  else if (order.kind === 'none') generate(site, api, { ...received, failure: null });
  else if (order.failure.kind === 'status') refuse(response, orderedError(order.failure.status));
  else if (order.failure.kind === 'reset') request.socket.resetAndDestroy();
  else if (order.failure.kind !== 'hang') generate(site, api, { ...received, failure: order.failure });
}

function generate(
  site: EngineSite,
  api: GenerationApi,
  to: ReceivedRequest & { failure: OrderedFailure | null },
): void {
  const { response, body, failure } = to;
  const understood = understandGeneration(api, body, site.random);
  if (understood.kind === 'refusal') {
    refuse(response, understood.refusal);
    return;
  }
  site.answers += 1;
  const id = `${api === 'chat' ? 'chatcmpl' : 'cmpl'}-demo-${site.answers}`;
  const identity = { id, createdEpochSeconds: Math.floor(site.clock.epochMs() / 1_000) };
  answerGeneration({ generation: understood.generation, identity, failure, response, loop: site.loop });
}

function badRequest(status: number, message: string): Refusal {
  return { status, type: 'BadRequestError', message };
}

function refuse(response: ServerResponse, refusal: Refusal): void {
  sendJson(response, refusal.status, errorBody(refusal));
}

function modelList(): string {
  const model = {
    id: DEMO_MODEL,
    object: 'model',
    created: 0,
    owned_by: 'pitot-demo',
    max_model_len: CONTEXT_WINDOW_TOKENS,
  };
  return JSON.stringify({ object: 'list', data: [model] });
}
