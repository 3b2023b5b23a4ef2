import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Asker, createIdentifier, type IdentityRules } from '../../../src/identity/identify.ts';
import { keptOfLongTexts } from '../../helpers/heap.ts';

const rules = (user: IdentityRules['user'], salt: string | null = null): IdentityRules => ({ user, salt });
const asker = (given: Partial<Asker>): Asker => ({
  headers: {},
  target: '/v1/chat/completions',
  bodyUser: null,
  ...given,
});

const BY_KEY = rules([{ api_key: 'hash' }]);
const nameOf = (given: Partial<Asker>, by = BY_KEY) => createIdentifier(by)(asker(given));

/** The same key, wherever a client may put it. */
const carriers: [string, (key: string) => Partial<Asker>][] = [
  ['Authorization with Bearer', (key) => ({ headers: { authorization: `Bearer ${key}` } })],
  ['Authorization with bearer, whatever its case', (key) => ({ headers: { authorization: `bEaReR   ${key}` } })],
  ['Authorization as it is', (key) => ({ headers: { authorization: key } })],
  ['x-api-key', (key) => ({ headers: { 'x-api-key': key } })],
  ['api-key', (key) => ({ headers: { 'api-key': key } })],
  ['x-goog-api-key', (key) => ({ headers: { 'x-goog-api-key': key } })],
  ['the query', (key) => ({ target: `/v1beta/models/m:generateContent?alt=sse&key=${encodeURIComponent(key)}` })],
];
const anyKey = fc.stringMatching(/^[!-~]{1,200}$/).filter((key) => !/^(bearer|aws4-)/i.test(key));

describe('a user named by the hash of the key', () => {
  it.each(carriers)('is found in %s', (_, carry) => {
    expect(nameOf(carry('sk-1234'))).toBe('key-9a2eb97591d1874c');
  });

  it.each(carriers)('never shows the key from %s, nor a part of it', (_, carry) => {
    fc.assert(
      fc.property(anyKey, (key) => {
        const name = nameOf(carry(key)) ?? '';
        expect(name).toMatch(/^key-[0-9a-f]{16}$/);
        if (key.length > 8) expect(name).not.toContain(key);
      }),
      { numRuns: 50 },
    );
  });

  it('is the same after a restart, and another for another key or salt', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (one, other) => {
        const [, carry] = carriers[2] ?? [];
        const name = (key: string, salt: string | null) => nameOf(carry?.(key) ?? {}, { ...BY_KEY, salt });
        expect(name(one, null)).toBe(name(one, null));
        expect(name(one, 'a')).not.toBe(name(one, 'b'));
        expect(name(one, null)).not.toBe(name(one, 'a'));
        expect(name(one, '')).toBe(name(one, null));
        expect(name(one, 'a') === name(other, 'a')).toBe(one === other);
      }),
      { numRuns: 100 },
    );
  });

  it('is null without a key', () => {
    const without: Partial<Asker>[] = [
      {},
      { headers: { authorization: '' } },
      { headers: { authorization: 'Bearer' } },
      { headers: { authorization: 'Bearer   ' } },
      { headers: { 'x-api-key': '', 'api-key': [] } },
      { target: '/?key=' },
      { target: '/?apikey=x&keys=y' },
      { target: '/key=x' },
    ];
    expect(without.map((one) => nameOf(one))).toEqual(without.map(() => null));
  });

  it('tries the next carrier where one is empty', () => {
    expect(nameOf({ headers: { authorization: 'Bearer ', 'x-api-key': 'sk-1234' } })).toBe('key-9a2eb97591d1874c');
  });

  it('is one name for all requests of an AWS key, though each is signed anew', () => {
    const signed = (signature: string) => ({
      headers: {
        authorization: `AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/20260101/eu-west-1/bedrock/aws4_request, SignedHeaders=host, Signature=${signature}`,
      },
    });
    expect(nameOf(signed('aaaa'))).toBe(nameOf(signed('bbbb')));
    expect(nameOf(signed('aaaa'))).toBe(nameOf({ headers: { 'x-api-key': 'AKIAEXAMPLE' } }));
  });

  it.each(['/?key=%zz', '/?%', '/?key=a%', '/?&&=&key', '/?key=x#fragment', '//x/../?key=x', '?'])(
    'a target like %s breaks nothing',
    (target) => {
      expect(() => nameOf({ target })).not.toThrow();
    },
  );

  it('stays right when more keys pass than are remembered', () => {
    const identify = createIdentifier(BY_KEY);
    const name = (index: number) => identify(asker({ headers: { 'x-api-key': `sk-${index}` } }));
    const first = Array.from({ length: 6_000 }, (_, index) => name(index));
    expect(new Set(first).size).toBe(6_000);
    expect([0, 1_000, 5_999].map(name)).toEqual([first[0], first[1_000], first[5_999]]);
  });
});

describe('the sources of a user', () => {
  const all = rules([{ header: 'X-User-Id' }, { body: 'user' }, { api_key: 'hash' }]);
  const key = { authorization: 'Bearer sk-1234' };

  it('are tried in their order; the first that is present wins', () => {
    expect(nameOf({ headers: { 'x-user-id': 'ada', ...key }, bodyUser: 'bob' }, all)).toBe('ada');
    expect(nameOf({ headers: key, bodyUser: 'bob' }, all)).toBe('bob');
    expect(nameOf({ headers: { 'x-user-id': '', ...key }, bodyUser: '' }, all)).toBe('key-9a2eb97591d1874c');
    expect(nameOf({}, all)).toBeNull();
  });

  it('may be none: then nobody has a name', () => {
    expect(nameOf({ headers: key, bodyUser: 'bob' }, rules([]))).toBeNull();
  });

  it('are taken as sent', () => {
    for (const sent of ['Ada Lovelace', ' padded ', 'ada@example', '{"a":1}', 'é🙂']) {
      expect(nameOf({ bodyUser: sent }, rules([{ body: 'user' }]))).toBe(sent);
    }
  });

  it('are cut at 256 characters, never through the middle of one', () => {
    const cut = (bodyUser: string) => nameOf({ bodyUser }, rules([{ body: 'user' }]));
    expect(cut('x'.repeat(256))).toBe('x'.repeat(256));
    expect(cut('x'.repeat(100_000))).toBe('x'.repeat(256));
    expect(cut(`${'x'.repeat(255)}🙂`)).toBe('x'.repeat(255));
    expect(cut('🙂'.repeat(200))).toBe('🙂'.repeat(128));
  });

  it('join a header that was sent twice, as HTTP does', () => {
    expect(nameOf({ headers: { 'x-user-id': ['a', 'b'] } }, all)).toBe('a, b');
  });

  it('are no properties that every object has', () => {
    expect(nameOf({}, rules([{ header: 'constructor' }, { header: '__proto__' }]))).toBeNull();
  });
});

describe('what is remembered of who asked', () => {
  it('is a short text of its own, however long what it was a part of', () => {
    const byBody = createIdentifier(rules([{ body: 'user' }]));
    expect(keptOfLongTexts(30, (bodyUser) => byBody(asker({ bodyUser })))).toBeLessThan(3_000_000);
    const byKey = createIdentifier(BY_KEY);
    const signed = (text: string) =>
      `AWS4-HMAC-SHA256 Credential=AKIA${text.slice(0, 20)}/20260101/x, Signature=${text}`;
    const kept = keptOfLongTexts(30, (text) => byKey(asker({ headers: { authorization: signed(text) } })));
    expect(kept).toBeLessThan(3_000_000);
  });
});
