/** Counts what keeps the event loop of this thread alive, by type. */
import type { Active } from './process-groups';

/** Undocumented in Node.js, but what the metrics of these names count in every program. */
interface Internals {
  _getActiveHandles?(): readonly (object | null)[];
  _getActiveRequests?(): readonly (object | null)[];
}

/**
 * @returns null where Node.js does not have the list
 * @throws Error of Node.js
 */
export function activeCounts(of: Active): ReadonlyMap<string, number> | null {
  const internals = process as unknown as Internals;
  if (of === 'resources') return countsOf(process.getActiveResourcesInfo());
  const found = of === 'handles' ? internals._getActiveHandles?.() : internals._getActiveRequests?.();
  return found === undefined ? null : countsOf(found.map((one) => one?.constructor?.name ?? ''));
}

function countsOf(types: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}
