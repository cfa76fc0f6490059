/** Keeps the parts of an answer that have not changed, so that what shows them need not be rendered again. */

/** @returns `next`, in which every part that equals the one of `previous` is that same object */
export function share<T>(previous: unknown, next: T): T {
  if (Object.is(previous, next) || typeof next !== 'object' || next === null) return next;
  if (typeof previous !== 'object' || previous === null || Array.isArray(previous) !== Array.isArray(next)) return next;
  const before = previous as Record<string, unknown>;
  const after = next as Record<string, unknown>;
  const keys = Object.keys(after);
  let isSame = keys.length === Object.keys(before).length;
  for (const key of keys) {
    after[key] = share(before[key], after[key]);
    isSame &&= Object.is(before[key], after[key]) && Object.hasOwn(before, key);
  }
  return isSame ? (previous as T) : next;
}

/** As `share`, of a list whose items have an identity of their own, so that one more at the front changes no other. */
export function shareByKey<T>(previous: readonly T[], next: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const known = new Map(previous.map((item) => [keyOf(item), item]));
  const shared = next.map((item) => share(known.get(keyOf(item)), item));
  return shared.length === previous.length && shared.every((item, index) => item === previous[index])
    ? previous
    : shared;
}
