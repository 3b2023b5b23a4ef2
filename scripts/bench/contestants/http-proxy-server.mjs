// A plain @fastify/http-proxy with the library's defaults: what Pitot's relay would be had nothing been done to it.
// Plain JavaScript, so that no loader of TypeScript stands beside. Arguments: the port, the upstream's port.
import httpProxy from '@fastify/http-proxy';
import fastify from 'fastify';

const [port, upstreamPort] = process.argv.slice(2).map(Number);
const server = fastify();
server.register(httpProxy, { upstream: `http://127.0.0.1:${upstreamPort}` });
await server.listen({ host: '127.0.0.1', port, backlog: 4096 });
