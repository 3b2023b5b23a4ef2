import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { fetchJson, sourceOf } from '../../src/plan/fetch-json.ts';

/** What a plan says of a server that answers so; `login` stands in its URL. */
async function saidOf(answer: RequestListener, login = ''): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const source = sourceOf('--prometheus', `http://${login}127.0.0.1:${port}`);
  try {
    return source === null ? 'no source' : JSON.stringify(await fetchJson(source, '/api/v1/query'));
  } catch (error) {
    return String(error);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const refusal: RequestListener = (_, response) => response.writeHead(401).end();

describe('a Prometheus that does not answer as one', () => {
  it('wants a login, or refuses the one that was given', async () => {
    expect(await saidOf(refusal)).toContain('wants a name and password');
    expect(await saidOf(refusal, 'me:50%off@')).toContain('refuses the name and password in the URL');
  });

  it('and breaks off is not taken for something else', async () => {
    const said = await saidOf((_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"status":', () => response.destroy());
    });
    expect(said).toContain('cannot be reached');
  });

  it('says itself why not, where it does', async () => {
    const error = 'query processing would load too many samples';
    const said = await saidOf((_, response) => response.writeHead(422).end(JSON.stringify({ status: 'error', error })));
    expect(said).toContain(error);
  });
});
