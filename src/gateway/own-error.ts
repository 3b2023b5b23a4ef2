import { type ServerResponse, STATUS_CODES } from 'node:http';
import { ERRORS, type ErrorCode } from '../errors.ts';
import type { Api } from '../wire/facts.ts';

export interface OwnError {
  api: Api;
  code: ErrorCode;
  /** What the system called it (`ECONNREFUSED`), null when there is nothing to add. */
  reason: string | null;
}

/**
 * Answers with an error of the gateway's own, in the shape that the API's clients know. Returns the status.
 * Only called while no head was sent.
 */
export function sendOwnError(response: ServerResponse, said: OwnError): number {
  const { status } = ERRORS[said.code];
  const body = JSON.stringify(errorBody(said));
  response.sendDate = false;
  // Without this, Node adds a Keep-Alive header; to HTTP/1.0 it must say that the connection stays.
  if (response.shouldKeepAlive && response.req.httpVersion === '1.1') response.removeHeader('connection');
  // Said, and not left to Node: the response may still hold the reason of an answer whose head could not be sent.
  response.writeHead(status, STATUS_CODES[status] ?? '', [
    'Content-Type',
    'application/json',
    'Content-Length',
    String(Buffer.byteLength(body)),
    'x-pitot-error',
    said.code,
  ]);
  response.end(body);
  return status;
}

function errorBody({ api, code, reason }: OwnError): object {
  const { status } = ERRORS[code];
  const message = reason === null ? ERRORS[code].message : `${ERRORS[code].message} (${reason})`;
  const isClientFault = status < 500;
  const [family] = api.split('.', 1);
  switch (family) {
    case 'anthropic':
      return { type: 'error', error: { type: isClientFault ? 'invalid_request_error' : 'api_error', message } };
    case 'gemini':
      return { error: { code: status, message, status: isClientFault ? 'INVALID_ARGUMENT' : 'UNAVAILABLE' } };
    case 'ollama':
      return { error: message };
    case 'tgi':
      return { error: message, error_type: isClientFault ? 'validation' : 'overloaded' };
    case 'bedrock':
    case 'cohere':
      return { message };
    default:
      return {
        error: { message, type: isClientFault ? 'invalid_request_error' : 'server_error', param: null, code },
      };
  }
}
