import { describe, expect, it } from 'vitest';
import { isLoopback, parseAddress, parseBaseUrl } from '../../../src/config/addresses.ts';

describe('an address to listen on', () => {
  it.each([
    ['127.0.0.1:8080', '127.0.0.1', 8_080],
    ['0.0.0.0:0', '0.0.0.0', 0],
    ['[::1]:8080', '::1', 8_080],
    ['[::]:65535', '::', 65_535],
    ['[fe80::1%eth0]:80', 'fe80::1%eth0', 80],
    ['localhost:1', 'localhost', 1],
    ['my_pod-0.svc.cluster.local:443', 'my_pod-0.svc.cluster.local', 443],
  ])('%s has a host and a port', (text, host, port) => {
    expect(parseAddress(text)).toEqual({ host, port });
  });

  it.each([
    '',
    '8080',
    ':8080',
    '127.0.0.1',
    '127.0.0.1:',
    '127.0.0.1:http',
    '127.0.0.1:65536',
    '127.0.0.1:-1',
    '127.0.0.1:123456',
    '::1:8080',
    '[::1]',
    '[127.0.0.1]:80',
    '[::g]:80',
    '300.0.0.1:80',
    '10.0.0:80',
    'a b:80',
    'http://127.0.0.1:80',
    '-a:80',
    'user@host:80',
    `${'a'.repeat(64)}:80`,
  ])('%j is none', (text) => {
    expect(parseAddress(text)).toBeNull();
  });

  it.each(['127.0.0.1', '127.8.9.10', '::1', 'localhost', 'LOCALHOST', '::ffff:127.0.0.1'])(
    '%s is on loopback',
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );

  it.each(['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', 'example', 'localhost.example', '127.0.0.1.example', '::2'])(
    '%s is open to others, or may be',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );
});

describe('the URL of an upstream', () => {
  it.each([
    ['http://10.0.0.5:8000', 'http://10.0.0.5:8000', ''],
    ['http://10.0.0.5:8000/', 'http://10.0.0.5:8000', ''],
    ['https://llm.example/v1', 'https://llm.example', '/v1'],
    ['https://llm.example/v1/', 'https://llm.example', '/v1'],
    ['http://[::1]:8000/a', 'http://[::1]:8000', '/a'],
    ['HTTPS://LLM.example:443', 'https://llm.example', ''],
    ['http://engine', 'http://engine', ''],
  ])('%s has an origin and a prefix', (text, origin, prefix) => {
    expect(parseBaseUrl(text)).toEqual({ origin, prefix });
  });

  it.each(['/a//b/../c', '/%2F', '/%zz', '/a;b=c', "/~!$&'()*+,"])('keeps the prefix %s textually', (prefix) => {
    expect(parseBaseUrl(`http://host${prefix}`)?.prefix).toBe(prefix);
  });

  it.each([
    '',
    'host:8000',
    'http://',
    'http:///path',
    'http:/host',
    'ftp://host',
    'http://user@host',
    'http://user:password@host',
    'http://host?query',
    'http://host/path?',
    'http://host/#fragment',
    'http://host:99999',
    'http://host:port',
    'http://10.0.0.300',
    'http://[::g]',
    'http://[::1',
    'http://a b',
    'http://host/a b',
    'http://host/é',
    'http://host\\path',
    ' http://host',
    'http://host\n',
    'http://host/\r\nx: y',
  ])('%j is none', (text) => {
    expect(parseBaseUrl(text)).toBeNull();
  });
});
