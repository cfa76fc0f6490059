/** How the captured tables are in the publication, and what has changed since another comparison. Pure. */
import { qualified, type PublishableTable } from '../database/catalog';
import { PublicationCoverage, renamedText, type RenamedTable } from './coverage';
import type { PublicationState, PublishedOperation } from './state';

export interface Comparison {
  readonly operations: ReadonlySet<PublishedOperation>;
  /** Tables that the publication does not contain, by name. */
  readonly absent: ReadonlyMap<string, PublishableTable>;
  /** Tables whose changes arrive under another name, by `renamedText`. */
  readonly renamed: ReadonlyMap<string, RenamedTable<PublishableTable>>;
  /** Published tables with their memberships, by name: see `PublicationCoverage`. */
  readonly published: ReadonlyMap<string, { readonly table: PublishableTable; readonly membership: string }>;
}

/** @param captured without tables that the server cannot publish */
export function comparison(state: PublicationState, captured: readonly PublishableTable[]): Comparison {
  const coverage = new PublicationCoverage(state);
  const { absent, renamed } = coverage.gaps(captured);
  const published: [string, { table: PublishableTable; membership: string }][] = [];
  for (const table of captured) {
    const membership = coverage.membership(table);
    if (membership !== null) published.push([qualified(table), { table, membership }]);
  }
  return {
    operations: state.operations,
    absent: new Map(absent.map((table) => [qualified(table), table])),
    renamed: new Map(renamed.map((one) => [renamedText(one), one])),
    published: new Map(published),
  };
}

export interface Changes {
  /** Operations that are no longer published. */
  readonly withheld: readonly PublishedOperation[];
  /** Absent since. */
  readonly left: readonly PublishableTable[];
  /** No longer absent. */
  readonly returned: readonly PublishableTable[];
  /** Published by another membership: they were not published in between. */
  readonly replaced: readonly PublishableTable[];
  /** Under another name since. */
  readonly renamed: readonly RenamedTable<PublishableTable>[];
}

export function changesSince(before: Comparison, now: Comparison): Changes {
  const found = [...now.published];
  return {
    withheld: [...before.operations].filter((operation) => !now.operations.has(operation)),
    left: [...now.absent].filter(([name]) => !before.absent.has(name)).map(([, table]) => table),
    returned: found.filter(([name]) => before.absent.has(name)).map(([, { table }]) => table),
    replaced: found
      .filter(([name, { membership }]) => (before.published.get(name)?.membership ?? membership) !== membership)
      .map(([, { table }]) => table),
    renamed: [...now.renamed].filter(([name]) => !before.renamed.has(name)).map(([, one]) => one),
  };
}
