import type { FastifyError } from 'fastify';

/**
 * Node's parser reads the methods of RTSP (DESCRIBE, SETUP), too. Fastify has no route for them and no
 * place to give them one: they end in its error handler under this code, past all hooks.
 */
export function isForeignMethod({ code }: FastifyError): boolean {
  return code === 'FST_ERR_NOT_FOUND';
}
