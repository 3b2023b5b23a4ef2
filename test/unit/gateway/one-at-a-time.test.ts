import { describe, expect, it } from 'vitest';
import { OneAtATime } from '../../../src/gateway/one-at-a-time.ts';

/** Makings that end when they are told to. */
function makings() {
  const begun: { key: string; end: (fault?: Error) => void }[] = [];
  const made = new OneAtATime((key: string) => {
    const number = begun.length;
    return new Promise<string>((resolve, reject) => {
      begun.push({ key, end: (fault) => (fault === undefined ? resolve(`${key}${number}`) : reject(fault)) });
    });
  });
  const turns = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, made, turns };
}

describe('what is made one at a time', () => {
  it('is shared by all who asked before it began, and by nobody who asked later', async () => {
    const { begun, made, turns } = makings();
    const first = [made.get('a'), made.get('a')];
    await turns();
    const later = [made.get('a'), made.get('b'), made.get('a')];
    await turns();
    expect(begun.map(({ key }) => key)).toEqual(['a']);
    begun[0]?.end();
    expect(await Promise.all(first)).toEqual(['a0', 'a0']);
    await turns();
    begun[1]?.end();
    await turns();
    begun[2]?.end();
    expect(await Promise.all(later)).toEqual(['a1', 'b2', 'a1']);
  });

  it('goes on after one that failed, which all who shared it hear of', async () => {
    const { begun, made, turns } = makings();
    const failed = Promise.allSettled([made.get('a'), made.get('a')]);
    const next = made.get('b');
    await turns();
    begun[0]?.end(new Error('no'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await turns();
    begun[1]?.end();
    expect(await next).toBe('b1');
  });
});
