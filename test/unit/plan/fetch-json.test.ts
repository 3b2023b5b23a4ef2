import { describe, expect, it } from 'vitest';
import { sourceOf } from '../../../src/plan/fetch-json.ts';

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

describe('the address of a Prometheus', () => {
  it.each([
    ['h:9090', 'http://h:9090'],
    ['[::1]:9090', 'http://[::1]:9090'],
    ['https://h/prom/', 'https://h/prom'],
    ['h:8481/select/0/prometheus', 'http://h:8481/select/0/prometheus'],
  ])('%s keeps its path, and may lack its scheme', (given, base) => {
    expect(sourceOf('--prometheus', given)).toMatchObject({ base, headers: {} });
  });

  it.each([
    ['http://me:secret@h', 'me:secret'],
    ['http://token@h', 'token:'],
    ['http://:secret@h', ':secret'],
    ['http://me:p%40ss%2F@h', 'me:p@ss/'],
    ['http://me:50%off@h', 'me:50%off'],
    ['http://me:100%@h', 'me:100%'],
  ])('%s becomes basic authorization, as curl has it', (given, pair) => {
    expect(sourceOf('--prometheus', given)).toMatchObject({ base: 'http://h', headers: basic(pair) });
  });

  it.each(['', 'http://', 'ftp://h', 'http://h/?query=up'])('%j is none', (given) => {
    expect(sourceOf('--prometheus', given)).toBeNull();
  });
});
