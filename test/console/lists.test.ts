import { share, shareByKey } from '../../packages/console/src/parts/share';
import { formatSort, nextSort, parseSort, sorted } from '../../packages/console/src/parts/sorting';
import { sparklinePath } from '../../packages/console/src/parts/sparkline';

describe('shared answers', () => {
  test('an equal answer is the one before', () => {
    const before = { a: [1, { b: null }], c: 'x' };
    expect(share(before, { a: [1, { b: null }], c: 'x' })).toBe(before);
  });
  test('equal parts of a changed answer are those before', () => {
    const before = { a: { x: 1 }, b: { y: 1 } };
    const after = share(before, { a: { x: 1 }, b: { y: 2 } });
    expect(after).toEqual({ a: { x: 1 }, b: { y: 2 } });
    expect(after.a).toBe(before.a);
  });
  test('keys that were added, removed, or became a list, are changes', () => {
    const before = { a: 1 } as object;
    for (const next of [{ a: 1, b: undefined }, {}, { b: undefined }, [1], null])
      expect(share(before, next)).toEqual(next);
    expect(share([1, 2], [1])).toEqual([1]);
  });
  test('items of a list are known by their key', () => {
    const before = [
      { name: 'a', x: 1 },
      { name: 'b', x: 1 },
    ];
    const after = shareByKey(
      before,
      [
        { name: 'new', x: 0 },
        { name: 'a', x: 1 },
        { name: 'b', x: 2 },
      ],
      ({ name }) => name,
    );
    expect(after[1]).toBe(before[0]);
    expect(after[2]).not.toBe(before[1]);
    expect(shareByKey(before, structuredClone(before), ({ name }) => name)).toBe(before);
  });
});

describe('sorting', () => {
  const rows = [3, null, 1, 20].map((value) => ({ value }));
  test('unknown values are last in both orders', () => {
    expect(sorted(rows, ({ value }) => value, false).map(({ value }) => value)).toEqual([1, 3, 20, null]);
    expect(sorted(rows, ({ value }) => value, true).map(({ value }) => value)).toEqual([20, 3, 1, null]);
  });
  test('a second click reverses the order, another column starts ascending', () => {
    const first = nextSort({ key: 'name', isDescending: false }, 'rate');
    expect(first).toEqual({ key: 'rate', isDescending: false });
    expect(nextSort(first, 'rate')).toEqual({ key: 'rate', isDescending: true });
  });
  test('the address keeps it, and an unknown column is the fallback', () => {
    const fallback = { key: 'state', isDescending: false };
    expect(parseSort(formatSort({ key: 'rate', isDescending: true }), ['rate'], fallback)).toEqual({
      key: 'rate',
      isDescending: true,
    });
    for (const text of [undefined, '', '-', 'nope']) expect(parseSort(text, ['rate'], fallback)).toBe(fallback);
  });
});

describe('the small chart', () => {
  test('is empty without numbers, and flat at the bottom without records', () => {
    expect(sparklinePath([])).toBe('');
    expect(sparklinePath([null, null])).toBe('');
    expect(sparklinePath([0, 0])).toBe('M2 22L94 22');
  });
  test('reaches from bottom to top, with gaps and dots', () => {
    expect(sparklinePath([0, 10, null, 5, null])).toBe('M2 22L25 2M71 12h0');
  });
});
