import { sourceType } from '../../../../connectors/postgres/src/values/source-type';
import type { PgType } from '../../../../connectors/postgres/src/values/value-type';

const type = (name: string, overrides: Partial<PgType> = {}): PgType => ({
  ...{ oid: 1, schema: 'pg_catalog', name, kind: 'b', isArray: false, of: 0, typmod: -1, labels: [] },
  ...overrides,
});

/** What Debezium 3.7.0.Final publishes with `column.propagate.source.type`. */
test.each([
  ['int4', -1, 10, 0],
  ['float4', -1, 8, 8],
  ['float8', -1, 17, 17],
  ['numeric', (5 << 16) + 2 + 4, 5, 2],
  ['numeric', -1, 0, null],
  ['varchar', 44, 40, 0],
  ['timestamp', 3, 26, 3],
  ['text', -1, 2147483647, 0],
])('cdc-postgres §7.5: %s(%i) has length %s and scale %s', (name, typmod, length, scale) => {
  expect(sourceType(new Map([[1, type(name)]]), 1, typmod)).toMatchObject({ name, length, scale });
  const list = type(`_${name}`, { oid: 2, isArray: true, of: 1 });
  const types = new Map([
    [1, type(name)],
    [2, list],
  ]);
  // An array of numeric has the digits that the type can have.
  const expected = scale === null ? { length: 131089, scale: 0 } : { length, scale };
  expect(sourceType(types, 2, typmod)).toMatchObject({ name: `_${name}`, ...expected });
});
