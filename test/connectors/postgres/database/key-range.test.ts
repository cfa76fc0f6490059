import { keyRangeQuery, lastKeyQuery } from '../../../../connectors/postgres/src/database/key-range';

const query = { columns: ['"a"', 'NULL'], from: '"s"."t"', after: null, upTo: null, condition: null, limit: null };

test('a table without bounds is read in the order of its key', () => {
  expect(keyRangeQuery({ ...query, key: ['id'] })).toBe('SELECT "a", NULL FROM "s"."t" ORDER BY "id"');
});

test('bounds of a composite key are compared as rows', () => {
  expect(keyRangeQuery({ ...query, key: ['b', 'a'], after: ['x', '1'], upTo: ['y', '2'], limit: 10 })).toBe(
    `SELECT "a", NULL FROM "s"."t" WHERE ("b", "a") > ('x', '1') AND ("b", "a") <= ('y', '2') ORDER BY "b", "a" LIMIT 10`,
  );
});

test('names and values cannot end their quotes', () => {
  expect(keyRangeQuery({ ...query, key: ['q"'], after: ["it's \\"] })).toBe(
    `SELECT "a", NULL FROM "s"."t" WHERE ("q""") > ( E'it''s \\\\') ORDER BY "q"""`,
  );
});

test('a condition with a comment at its end stays inside its parentheses', () => {
  expect(keyRangeQuery({ ...query, key: ['id'], after: ['1'], condition: 'a = 1 OR b = 2 -- x' })).toBe(
    `SELECT "a", NULL FROM "s"."t" WHERE ("id") > ('1') AND (a = 1 OR b = 2 -- x\n) ORDER BY "id"`,
  );
});

test('the largest key has no NULL', () => {
  expect(lastKeyQuery('"t"', ['a', 'b'], 'c')).toBe(
    'SELECT "a"::text AS key_0, "b"::text AS key_1 FROM "t" WHERE "a" IS NOT NULL AND "b" IS NOT NULL AND (c\n) ORDER BY "a" DESC, "b" DESC LIMIT 1',
  );
});
