import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readPage } from '../../src/gateway/page-files.ts';
import { openAdmin } from '../helpers/admin.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const SCRIPT = `console.log(${JSON.stringify('x'.repeat(10_000))});`;
const TOKEN = 'a-secret-of-many-letters';

/** A page as the build leaves it, beside a file that is none of its own. */
async function openPage(token: string | null = null) {
  const folder = await tempDir();
  await mkdir(folder.file('page/assets'), { recursive: true });
  await writeFile(folder.file('page/index.html'), '<!doctype html><title>Built</title>');
  await writeFile(folder.file('page/favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(folder.file('page/assets/index-B4c5d6.js'), SCRIPT);
  await writeFile(folder.file('page/assets/index-A1b2c3.css'), 'body{color:red}');
  await writeFile(folder.file('page/assets/index-B4c5d6.js.map'), '{}');
  await writeFile(folder.file('secret.txt'), 'a secret');
  const admin = await openAdmin({ page: readPage(folder.file('page')), token: () => token });
  return {
    ...admin,
    async [Symbol.asyncDispose]() {
      await admin[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe('the files of the page', () => {
  it('are served at their paths, with their types', async () => {
    await using admin = await openPage();
    const seen = await Promise.all(
      ['/', '/favicon.svg', '/assets/index-B4c5d6.js', '/assets/index-A1b2c3.css'].map((path) => admin.ask(path)),
    );
    expect(seen.map(({ status, headers }) => [status, headers['content-type']])).toEqual([
      [200, 'text/html; charset=utf-8'],
      [200, 'image/svg+xml'],
      [200, 'text/javascript; charset=utf-8'],
      [200, 'text/css; charset=utf-8'],
    ]);
    expect([seen[0]?.body, seen[2]?.body]).toEqual(['<!doctype html><title>Built</title>', SCRIPT]);
  });

  it('are kept for ever where their names hold a hash, and asked for again elsewhere', async () => {
    await using admin = await openPage();
    const asset = await admin.ask('/assets/index-B4c5d6.js');
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const index = await admin.ask('/');
    expect(index.headers['cache-control']).toBe('no-cache');
    const etag = String(index.headers.etag);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await admin.ask('/', { headers: { 'if-none-match': known } });
      expect([again.status, again.body, again.headers.etag]).toEqual([304, '', etag]);
      expect(again.headers['content-security-policy']).toBe(index.headers['content-security-policy']);
    }
    expect((await admin.ask('/', { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('come compressed for who accepts gzip, where that makes them smaller', async () => {
    await using admin = await openPage();
    const bytes = await rawBody(admin.address, '/assets/index-B4c5d6.js', 'accept-encoding: gzip\r\n');
    expect(bytes.head).toMatch(/^content-encoding: gzip$/m);
    expect(bytes.head).toMatch(/^vary: accept-encoding$/m);
    expect(gunzipSync(bytes.body).toString()).toBe(SCRIPT);
    expect((await rawBody(admin.address, '/assets/index-B4c5d6.js', '')).body.toString()).toBe(SCRIPT);
    const small = await rawBody(admin.address, '/assets/index-A1b2c3.css', 'accept-encoding: gzip\r\n');
    expect(small.body.toString()).toBe('body{color:red}');
  });

  it('answer HEAD like GET, without a body', async () => {
    await using admin = await openPage();
    for (const path of ['/', '/assets/index-B4c5d6.js']) {
      const get = await admin.ask(path);
      const head = await admin.ask(path, { method: 'HEAD' });
      expect([head.status, head.body]).toEqual([200, '']);
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control'])
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    }
  });

  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets\\..\\..\\secret.txt',
    '//secret.txt',
    '/assets/',
    '/assets',
    '/index.html',
    '/assets/index-B4c5d6.js/',
    '/assets/index-B4c5d6.js.map',
    '/ASSETS/index-B4c5d6.js',
    '/assets/index-B4c5d6.js%00.css',
  ])('are all there is: nothing at %s', async (path) => {
    await using admin = await openPage();
    const { status, body } = await admin.ask(path);
    expect(status).toBe(404);
    expect(body).not.toContain('a secret');
  });

  it('are open without the token, and only they', async () => {
    await using admin = await openPage(TOKEN);
    for (const path of ['/', '/?token=no', '/favicon.svg', '/assets/index-B4c5d6.js'])
      expect([path, (await admin.ask(path)).status]).toEqual([path, 200]);
    for (const path of ['/assets/other.js', '/assets/../api/snapshot', '/api/stream', '/index.html'])
      expect([path, (await admin.ask(path)).status]).toEqual([path, 401]);
  });

  it('may load and run what comes from here, and nothing else; no other site may read them', async () => {
    await using admin = await openPage();
    const { headers } = await admin.ask('/', { headers: { origin: 'https://elsewhere.example' } });
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("style-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy.join()).not.toMatch(/unsafe|\*|https?:/);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});

describe('a gateway without a built page', () => {
  it('says so, and where to look instead', async () => {
    await using admin = await openAdmin({ page: readPage('/nowhere/at/all') });
    const { status, body } = await admin.ask('/');
    expect(status).toBe(200);
    expect(body).toContain('The live page is not built here');
    expect(body).toContain('href="/api/snapshot"');
    // Nothing in it needs what the policy forbids.
    expect(body).not.toMatch(/<style|<script|style=/);
  });
});

function rawBody(address: string, path: string, headers: string): Promise<{ head: string; body: Buffer }> {
  const [host, port] = address.split(':');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), host);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const all = Buffer.concat(chunks);
      const end = all.indexOf('\r\n\r\n');
      resolve({ head: all.subarray(0, end).toString().replaceAll('\r', ''), body: all.subarray(end + 4) });
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${headers}\r\n`);
  });
}
