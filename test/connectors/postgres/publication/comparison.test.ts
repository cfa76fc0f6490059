import type { PublishableTable } from '../../../../connectors/postgres/src/database/catalog';
import { changesSince, comparison } from '../../../../connectors/postgres/src/publication/comparison';
import { PublicationCoverage } from '../../../../connectors/postgres/src/publication/coverage';
import type { PublicationState } from '../../../../connectors/postgres/src/publication/state';

const table = (oid: number, name: string, traits: Partial<PublishableTable> = {}): PublishableTable => ({
  ...{ oid, schema: 's', name, unlogged: false, partitionedRoot: false },
  ...traits,
});
const root = table(1, 'p', { partitionedRoot: true });
const leaf = table(2, 'p1');
const other = table(3, 'p2');
const single = table(9, 't');
const unlogged = table(8, 'u', { unlogged: true });

interface Given {
  readonly members?: readonly PublishableTable[];
  readonly viaRoot?: boolean;
  readonly allTables?: boolean;
  readonly schemas?: readonly string[];
  readonly ids?: string;
  readonly operations?: PublicationState['operations'];
}
const ALL: PublicationState['operations'] = new Set(['insert', 'update', 'delete', 'truncate'] as const);
function state({
  members = [],
  viaRoot = false,
  allTables = false,
  schemas = [],
  ids = '',
  operations = ALL,
}: Given): PublicationState {
  return {
    ...{ allTables, viaRoot, operations },
    members: members.map((one) => ({ ...one, id: `${ids}${one.oid}`, columns: null, rowFilter: null })),
    schemas: new Map(schemas.map((schema) => [schema, `${ids}schema`])),
    parents: new Map([leaf, other].map(({ oid }) => [oid, { oid: 1, schema: 's', name: 'p' }])),
  };
}

describe('cdc-postgres 85: which captured tables a publication delivers', () => {
  test.each<[what: string, given: Given, captured: readonly PublishableTable[], absent: string[], renamed: unknown[]]>([
    ['a table', { members: [single] }, [single], [], []],
    ['another table', { members: [leaf] }, [single], ['t'], []],
    ['all tables', { allTables: true }, [single, root, leaf, unlogged], ['u'], []],
    ['its schema', { schemas: ['s'] }, [single, leaf], [], []],
    ['another schema', { schemas: ['x'] }, [single], ['t'], []],
    ['the root, of leaves', { members: [root] }, [leaf, other], [], []],
    ['the root, of root and leaves', { members: [root] }, [root, leaf, other], [], []],
    ['the root, of the root alone', { members: [root] }, [root], [], [['p', null]]],
    ['the root by its name', { members: [root], viaRoot: true }, [root], [], []],
    ['the root by its name, of leaves', { members: [root], viaRoot: true }, [leaf], [], [['p1', 'p']]],
    ['the root by its name, of both', { members: [root], viaRoot: true }, [root, leaf, other], [], []],
    ['all leaves, of the root alone', { members: [leaf, other] }, [root], [], [['p', null]]],
    ['one leaf, of both', { members: [leaf] }, [root, leaf, other], ['p2'], []],
    ['one leaf, of the root alone', { members: [leaf] }, [root], ['p'], []],
    ['all tables by the names of roots, of leaves', { allTables: true, viaRoot: true }, [leaf], [], [['p1', 'p']]],
  ])('%s', (_, given, captured, absent, renamed) => {
    const gaps = new PublicationCoverage(state(given)).gaps(captured);
    expect(gaps.absent.map(({ name }) => name)).toEqual(absent);
    expect(gaps.renamed.map((one) => [one.table.name, one.as?.name ?? null])).toEqual(renamed);
  });
});

describe('cdc-postgres 86: changes of a publication between two checks', () => {
  const changes = (
    before: Given,
    now: Given,
    captured = [single],
    capturedNow = captured,
  ): Record<string, string[]> => {
    const found = changesSince(comparison(state(before), captured), comparison(state(now), capturedNow));
    const names = (tables: readonly PublishableTable[]): string[] => tables.map(({ name }) => name);
    return {
      withheld: [...found.withheld],
      left: names(found.left),
      returned: names(found.returned),
      replaced: names(found.replaced),
      renamed: names(found.renamed.map((one) => one.table)),
    };
  };
  const none = { withheld: [], left: [], returned: [], replaced: [], renamed: [] };

  test.each<[string, Record<string, string[]>, Record<string, string[]>]>([
    ['nothing', changes({ members: [single] }, { members: [single] }), none],
    [
      'updates are no longer published',
      changes(
        { members: [single] },
        { members: [single], operations: new Set(['insert', 'delete', 'truncate'] as const) },
      ),
      { ...none, withheld: ['update'] },
    ],
    ['a table leaves', changes({ members: [single] }, {}), { ...none, left: ['t'] }],
    ['a table is absent as before', changes({}, {}), none],
    ['a table returns', changes({}, { members: [single] }), { ...none, returned: ['t'] }],
    [
      'a table leaves and returns',
      changes({ members: [single] }, { members: [single], ids: 'new' }),
      { ...none, replaced: ['t'] },
    ],
    [
      'another table takes the name',
      changes({ members: [single] }, { members: [table(10, 't')] }, [single], [table(10, 't')]),
      { ...none, replaced: ['t'] },
    ],
    [
      'another table of a schema takes the name',
      changes({ schemas: ['s'] }, { schemas: ['s'] }, [single], [table(10, 't')]),
      none,
    ],
    ['a table is created', changes({ schemas: ['s'] }, { schemas: ['s'] }, [], [single]), none],
    [
      'partitions take the name of their root',
      changes({ members: [root] }, { members: [root], viaRoot: true }, [leaf]),
      { ...none, renamed: ['p1'] },
    ],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });
});
