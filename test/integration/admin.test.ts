import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type AdminAnswer, openAdmin } from '../helpers/admin.ts';
import { finishedRequest } from '../helpers/recorder.ts';

const TOKEN = 'a-secret-of-many-letters';
const withToken = () => openAdmin({ token: () => TOKEN });
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('the admin port', () => {
  it('serves /metrics as text, and as OpenMetrics to who accepts it', async () => {
    await using admin = await openAdmin();
    admin.recorder.finished(finishedRequest());
    const text = await admin.ask('/metrics');
    expect(text.status).toBe(200);
    expect(text.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text.headers.vary).toBe('accept, accept-encoding');
    expect(text.body).toMatch(/^pitot_requests_total\{.*outcome="complete"\} 1$/m);

    const open = await admin.ask('/metrics', { headers: { accept: 'application/openmetrics-text;version=1.0.0' } });
    expect(open.headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(open.body).toMatch(/^# TYPE pitot_requests counter$/m);
    expect(open.body).toMatch(/^pitot_requests_total\{.*outcome="complete"\} 1$/m);
    expect(open.body.endsWith('\n# EOF\n')).toBe(true);
  });

  it('serves concurrent scrapes, each whole', async () => {
    await using admin = await openAdmin();
    for (let model = 0; model < 50; model += 1) {
      const labels = { upstream: 'default', model: `m${model}`, workload: 'default' };
      admin.recorder.finished(finishedRequest({}, { labels }));
    }
    const accepts = ['*/*', 'application/openmetrics-text'];
    const scrapes = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        admin.ask('/metrics', { headers: { accept: accepts[index % 2] ?? '' } }),
      ),
    );
    for (const { status, body } of scrapes) {
      expect(status).toBe(200);
      expect(body.match(/^pitot_requests_total\{.*outcome="complete"\} 1$/gm)).toHaveLength(50);
      expect(body.match(/^# TYPE /gm)).toHaveLength(scrapes[0]?.body.match(/^# TYPE /gm)?.length ?? 0);
    }
  });

  it('compresses /metrics for who accepts gzip, and for nobody else', async () => {
    await using admin = await openAdmin();
    admin.recorder.finished(finishedRequest());
    const zipped = await rawBody(admin.address, 'Accept-Encoding: gzip\r\n');
    expect(zipped.head).toMatch(/^content-encoding: gzip$/m);
    expect(gunzipSync(zipped.body).toString()).toMatch(/^pitot_requests_total\{.*outcome="complete"\} 1$/m);
    for (const accepted of ['', 'Accept-Encoding: br, gzip;q=0\r\n', 'Accept-Encoding: identity\r\n']) {
      const plain = await rawBody(admin.address, accepted);
      expect(plain.head).not.toMatch(/^content-encoding:/m);
      expect(plain.body.toString()).toMatch(/^pitot_requests_total\{/m);
    }
  });

  it('works out few scrapes and views for a crowd that asks at once, and the next is of after it was asked for', async () => {
    await using admin = await openAdmin();
    let scrapes = 0;
    admin.recorder.metrics.beforeScrape(() => {
      scrapes += 1;
    });
    let views = 0;
    await using other = await openAdmin({
      snapshot: () => {
        views += 1;
        return { views };
      },
    });
    const many = async (address: string, path: string) => {
      const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
      const last = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`;
      const text = (await bytesTo(address, request.repeat(99) + last)).toString();
      expect(text.match(/HTTP\/1\.1 200 OK/g)?.length).toBe(100);
    };
    await Promise.all(Array.from({ length: 5 }, () => many(admin.address, '/metrics')));
    await many(other.address, '/api/snapshot');
    expect(scrapes).toBeLessThan(100);
    expect(views).toBeLessThan(50);
    admin.recorder.finished(finishedRequest());
    expect((await admin.ask('/metrics')).body).toMatch(/outcome="complete"\} 1$/m);
  });

  it.each([
    ['a head that is too long', `GET /?${'a'.repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, '431'],
    ['bytes that are no HTTP', '\x16\x03\x01\r\n\r\n', '400'],
  ])('answers %s under the headers of every answer', async (_what, bytes, status) => {
    await using admin = await openAdmin();
    const answer = (await bytesTo(admin.address, bytes)).toString();
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const { headers } = await admin.ask('/healthz');
    const kept = ['cache-control', 'content-security-policy', 'referrer-policy', 'x-content-type-options'];
    for (const name of kept) expect(answer).toContain(`\r\n${name}: ${headers[name]}\r\n`);
    expect((await admin.ask('/healthz')).status).toBe(200);
  });

  it('does not say back a long value that is no number', async () => {
    await using admin = await openAdmin();
    for (const query of ['tokens_per_day=', 'tokens_per_day=1&ttft_slo=']) {
      const { status, body } = await admin.ask(`/api/plan?${query}${'z'.repeat(9_000)}`);
      expect([status, body.length < 200]).toEqual([400, true]);
    }
  });

  it('survives a scraper that leaves in the middle', async () => {
    await using admin = await openAdmin();
    for (let model = 0; model < 100; model += 1) {
      const labels = { upstream: 'default', model: `m${model}`, workload: 'default' };
      admin.recorder.finished(finishedRequest({}, { labels }));
    }
    const [host, port] = admin.address.split(':');
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), host);
      socket.write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n');
      socket.once('data', () => socket.resetAndDestroy());
      socket.on('close', () => resolve());
      socket.on('error', reject);
    });
    expect((await admin.ask('/metrics')).status).toBe(200);
  });

  it('says that it lives and that it is ready, and not ready while draining, with the reason', async () => {
    let isDraining = false;
    await using admin = await openAdmin({
      readiness: () => (isDraining ? { ready: false, reason: 'the gateway is shutting down' } : { ready: true }),
    });
    expect((await admin.ask('/healthz')).status).toBe(200);
    const ready = await admin.ask('/readyz');
    expect([ready.status, JSON.parse(ready.body)]).toEqual([200, { status: 'ready' }]);
    isDraining = true;
    const draining = await admin.ask('/readyz?verbose');
    expect(draining.status).toBe(503);
    expect(JSON.parse(draining.body)).toEqual({ status: 'not ready', reason: 'the gateway is shutting down' });
    expect((await admin.ask('/healthz')).status).toBe(200);
  });

  it('gives the snapshot as JSON', async () => {
    await using admin = await openAdmin();
    const { status, headers, body } = await admin.ask('/api/snapshot');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(JSON.parse(body)).toEqual({ time: '2026-01-02T03:04:05.678Z', status: 'idle' });
  });

  it('has a page without data that links to what there is, and allows it nothing', async () => {
    await using admin = await openAdmin();
    const { status, headers, body } = await admin.ask('/');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(body).toContain('href="/metrics"');
    expect(body).toContain('href="/api/snapshot"');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
  });

  it.each(['/nothing', '/metrics/', '/Metrics', '//metrics', '/api', '/api/snapshot/x', '/..%2fmetrics', '/%zz'])(
    'has nothing at %s',
    async (path) => {
      await using admin = await openAdmin();
      expect((await admin.ask(path)).status).toBe(404);
    },
  );

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])('refuses %s everywhere', async (method) => {
    await using admin = await openAdmin();
    for (const path of ['/', '/metrics', '/healthz', '/api/snapshot', '/nothing']) {
      const answer = await admin.ask(path, { method });
      expect([path, answer.status, answer.headers.allow]).toEqual([path, 405, 'GET, HEAD']);
    }
  });

  it('answers HEAD like GET, without a body', async () => {
    await using admin = await openAdmin();
    for (const path of ['/', '/metrics', '/healthz', '/readyz', '/api/snapshot', '/nothing']) {
      const get = await admin.ask(path);
      const head = await admin.ask(path, { method: 'HEAD' });
      expect([path, head.status, head.body]).toEqual([path, get.status, '']);
      expect(head.headers['content-type']).toBe(get.headers['content-type']);
    }
  });

  it('puts its security headers on every answer, keeps no data in caches, and opens itself to no other site', async () => {
    await using admin = await withToken();
    const headers = { origin: 'https://elsewhere.example' };
    const answers = [
      await admin.ask('/', { headers }),
      await admin.ask('/metrics', { headers }),
      await admin.ask('/metrics', { headers: { ...headers, authorization: `Bearer ${TOKEN}` } }),
      await admin.ask('/api/snapshot', { headers: { ...headers, authorization: `Bearer ${TOKEN}` } }),
      await admin.ask('/%zz', { headers }),
      await admin.ask('/metrics', { headers, method: 'OPTIONS' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 200, 200, 404, 405]);
    expect(answers.map(({ headers: { 'cache-control': kept } }) => kept)).toEqual([
      'no-cache',
      ...Array(5).fill('no-store'),
    ]);
    for (const answer of answers) {
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect(answer.headers['x-frame-options']).toBe('DENY');
      expect(answer.headers['referrer-policy']).toBe('no-referrer');
      expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  it('refuses what is read as a request of RTSP like every other method, and logs nothing', async () => {
    await using admin = await openAdmin();
    const socket = connect(Number(admin.address.split(':').at(-1)), '127.0.0.1');
    socket.end('DESCRIBE /metrics RTSP/1.0\r\nHost: localhost\r\n\r\n');
    const answer = (await socket.setEncoding('utf8').toArray()).join('');
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
    expect(answer).toMatch(/^allow: GET, HEAD\r$/m);
    expect(answer).toMatch(/^x-content-type-options: nosniff\r$/m);
    expect(admin.errors).toEqual([]);
  });

  it('answers 500 without details when the snapshot fails, and logs it', async () => {
    await using admin = await openAdmin({
      snapshot: () => {
        throw new Error('a secret detail');
      },
    });
    const { status, body } = await admin.ask('/api/snapshot?key=secret');
    expect([status, JSON.parse(body)]).toEqual([500, { error: 'internal error' }]);
    expect(admin.errors).toMatchObject([{ path: '/api/snapshot', err: { message: 'a secret detail' } }]);
  });

  it('tells when its port is in use', async () => {
    await using admin = await openAdmin();
    await expect(openAdmin({ listen: admin.address })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('the token of the admin port', () => {
  const isRefused = ({ status, headers }: AdminAnswer) => status === 401 && headers['www-authenticate'] === 'Bearer';

  it('is wanted by everything that holds data, and by unknown paths', async () => {
    await using admin = await withToken();
    for (const path of ['/metrics', '/metrics?x', '/api/snapshot', '/nothing', '/healthz/', '//', '/x/../healthz']) {
      expect(isRefused(await admin.ask(path)), path).toBe(true);
    }
    expect((await admin.ask('/metrics', bearer(TOKEN))).status).toBe(200);
    expect((await admin.ask('/api/snapshot', bearer(TOKEN))).status).toBe(200);
    expect((await admin.ask('/nothing', bearer(TOKEN))).status).toBe(404);
  });

  it('is not wanted by probes and the page', async () => {
    await using admin = await withToken();
    for (const path of ['/', '/healthz', '/readyz', '/?utm=1']) expect((await admin.ask(path)).status, path).toBe(200);
  });

  it.each([
    ['another', 'Bearer another-secret-of-letters'],
    ['the beginning of it', `Bearer ${TOKEN.slice(0, -1)}`],
    ['it and more', `Bearer ${TOKEN}x`],
    ['it in capitals', `Bearer ${TOKEN.toUpperCase()}`],
    ['it under another scheme', `Basic ${TOKEN}`],
    ['it without a scheme', TOKEN],
    ['an empty one', 'Bearer '],
  ])('is refused when it is %s', async (_case, authorization) => {
    await using admin = await withToken();
    expect(isRefused(await admin.ask('/metrics', { headers: { authorization } }))).toBe(true);
  });

  it('is taken under the scheme in any case, and changes with a reload', async () => {
    let token = TOKEN;
    await using admin = await openAdmin({ token: () => token });
    expect((await admin.ask('/metrics', { headers: { authorization: `bearer ${TOKEN}` } })).status).toBe(200);
    token = 'the-next-one';
    expect(isRefused(await admin.ask('/metrics', bearer(TOKEN)))).toBe(true);
    expect((await admin.ask('/metrics', bearer('the-next-one'))).status).toBe(200);
  });
});

describe('the names of the admin port', () => {
  const statusFor = async (admin: Awaited<ReturnType<typeof openAdmin>>, host: string, path = '/metrics') =>
    (await admin.ask(path, { headers: { host } })).status;

  it.each(['localhost', 'LOCALHOST:9464', '127.0.0.1', '127.0.0.1:80', '127.8.9.1', '[::1]', '[::1]:9464'])(
    'are those of the machine: %s',
    async (host) => {
      await using admin = await openAdmin();
      expect(await statusFor(admin, host)).toBe(200);
    },
  );

  it.each([
    'attacker.example',
    'attacker.example:9464',
    'localhost.attacker.example',
    '127.0.0.1.attacker.example',
    '127.0.0.1@attacker.example',
    'attacker.example:127.0.0.1',
    '[::1].attacker.example',
    '10.0.0.7:9464',
  ])('are no others, which a page in a browser could have: "%s"', async (host) => {
    await using admin = await openAdmin();
    for (const path of ['/metrics', '/api/snapshot', '/nothing']) {
      const { status, headers, body } = await admin.ask(path, { headers: { host } });
      expect([path, status]).toEqual([path, 421]);
      expect(JSON.parse(body).error).toContain('set a token');
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
    for (const path of ['/', '/healthz', '/readyz']) expect(await statusFor(admin, host, path)).toBe(200);
  });

  it('are all names, once a token or the word `public` guards it', async () => {
    await using guarded = await openAdmin({ token: () => TOKEN });
    const headers = { host: 'pitot.example', authorization: `Bearer ${TOKEN}` };
    expect((await guarded.ask('/metrics', { headers })).status).toBe(200);
    await using open = await openAdmin({ isPublic: () => true });
    expect(await statusFor(open, 'pitot.example')).toBe(200);
  });

  it('are not asked of a client that knows none', async () => {
    await using admin = await openAdmin();
    const [host, port] = admin.address.split(':');
    const socket = connect(Number(port), host);
    socket.write('GET /metrics HTTP/1.0\r\n\r\n');
    let answer = '';
    for await (const bytes of socket) answer += bytes;
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});

/** All that comes back until the connection ends. */
function bytesTo(address: string, bytes: string): Promise<Buffer> {
  const [host, port] = address.split(':');
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const socket = connect(Number(port), host);
    socket.write(bytes, 'latin1');
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(Buffer.concat(pieces)));
    socket.on('error', reject);
  });
}

async function rawBody(address: string, header: string): Promise<{ head: string; body: Buffer }> {
  const request = `GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${header}\r\n`;
  const all = await bytesTo(address, request);
  const end = all.indexOf('\r\n\r\n');
  return { head: all.subarray(0, end).toString().replaceAll('\r', ''), body: all.subarray(end + 4) };
}
