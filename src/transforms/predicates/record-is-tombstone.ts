import type { PredicatePlugin } from '@millrace/sdk';

/** Matches tombstones: records without a value, whatever their schema. */
export const recordIsTombstone: PredicatePlugin = {
  type: 'predicate',
  config: [],
  create: () => ({ configure: () => undefined, test: ({ value }) => value == null }),
};
