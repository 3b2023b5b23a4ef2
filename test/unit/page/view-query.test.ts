import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choices, passes } from '../../../src/page/state/filter.ts';
import { chosen, sorted } from '../../../src/page/state/sort.ts';
import { keepTheme, keptTheme, nextTheme } from '../../../src/page/state/theme.ts';
import { CHARTS, FIRST_VIEW, readView, type View, writeView } from '../../../src/page/state/view-query.ts';
import { requestWith, snapshotWith, upstreamWith } from '../../helpers/page-snapshot.ts';

describe('the view in the address', () => {
  it('the first view needs no query', () => {
    expect(writeView(FIRST_VIEW)).toBe('');
    expect(readView('')).toEqual(FIRST_VIEW);
  });

  it('every view comes back as it was', () => {
    const text = fc.string({ maxLength: 60 });
    const sort = fc.record({
      key: fc.constantFrom('user', 'speed', 'output', 'p50', 'time'),
      isDescending: fc.boolean(),
    });
    const views: fc.Arbitrary<View> = fc.record({
      upstream: fc.option(text.filter((name) => name !== '')),
      model: fc.option(text.filter((name) => name !== '')),
      sorts: fc.record({ upstreams: sort, requests: sort, users: sort, failures: sort }),
      asTable: fc.subarray([...CHARTS]),
      curve: text,
      tokensPerDay: text,
      ttftSlo: text,
    });
    fc.assert(
      fc.property(views, (view) => {
        expect(readView(writeView(view))).toEqual(view);
      }),
    );
  });

  it('what it does not know is as if it were not there', () => {
    fc.assert(
      fc.property(fc.string(), (query) => {
        expect(() => readView(query)).not.toThrow();
      }),
    );
    expect(readView('?sort_users=<script>&as_table=nothing&token=s3cret')).toEqual(FIRST_VIEW);
  });
});

describe('sorting', () => {
  const rows = [{ v: 3 }, { v: null }, { v: 1 }, { v: 2 }];

  it('what is unknown stands at the end whichever way it goes', () => {
    const values = (isDescending: boolean) => sorted(rows, ({ v }) => v, isDescending).map(({ v }) => v);
    expect(values(false)).toEqual([1, 2, 3, null]);
    expect(values(true)).toEqual([3, 2, 1, null]);
  });

  it('numbers in names go by their value, and equal rows keep their order', () => {
    const names = ['gpu-10', 'gpu-9', 'GPU-9'];
    expect(sorted(names, (name) => name, false)).toEqual(['gpu-9', 'GPU-9', 'gpu-10']);
  });

  it('a column chosen again goes the other way', () => {
    const first = chosen({ key: 'user', isDescending: true }, 'tokens', true);
    expect(first).toEqual({ key: 'tokens', isDescending: true });
    expect(chosen(first, 'tokens', true)).toEqual({ key: 'tokens', isDescending: false });
  });
});

describe('the filter', () => {
  it('lets pass what is of the upstream and of the model', () => {
    const row = { upstream: 'a', model: 'm' };
    expect(passes({ upstream: null, model: null }, row)).toBe(true);
    expect(passes({ upstream: 'a', model: 'm' }, row)).toBe(true);
    expect(passes({ upstream: 'b', model: null }, row)).toBe(false);
    expect(passes({ upstream: null, model: 'm' }, { upstream: 'a', model: null })).toBe(false);
  });

  it('offers what there is, and what is chosen though it has gone', () => {
    const snapshot = snapshotWith({
      upstreams: [upstreamWith({ name: 'b' })],
      requests: [requestWith({ model: 'm' })],
    });
    expect(choices(snapshot, { upstream: 'gone', model: null })).toEqual({ upstreams: ['b', 'gone'], models: ['m'] });
  });
});

describe('the theme', () => {
  it('goes round, and is kept unless it is the system’s own', () => {
    const kept = new Map<string, string>();
    const store = () => ({
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    });
    expect([nextTheme('auto'), nextTheme('light'), nextTheme('dark')]).toEqual(['light', 'dark', 'auto']);
    keepTheme('dark', store);
    expect(keptTheme(store)).toBe('dark');
    keepTheme('auto', store);
    expect(kept.size).toBe(0);
    kept.set('pitot.theme', 'purple');
    expect(keptTheme(store)).toBe('auto');
  });

  it('is the system’s own where storage is forbidden', () => {
    const forbidden = () => {
      throw new Error('storage is forbidden');
    };
    expect(keptTheme(forbidden)).toBe('auto');
    expect(() => keepTheme('dark', forbidden)).not.toThrow();
  });
});
