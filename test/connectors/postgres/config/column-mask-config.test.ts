import { checkConfig } from '../../../../connectors/postgres/src/config/check';
import { columnMasks } from '../../../../connectors/postgres/src/config/column-mask-config';

const GOOD = { 'topic.prefix': 'p', 'database.hostname': 'h', 'database.user': 'u', 'database.dbname': 'd' };
const problems = (config: Record<string, string>): string[] =>
  checkConfig({ ...GOOD, ...config }).problems.map(({ message }) => message);

describe('cdc-postgres 109: which masks a config has', () => {
  test('several masks of one column: the one that hides the value comes first', () => {
    const masks = columnMasks({
      'column.truncate.to.5.chars': 'a.b.c',
      'column.mask.hash.v2.SHA-512/256.with.salt.a.b.with.salt.c': 'a.b.c',
      'column.mask.hash.sha-1.with.salt.s': 'a.b.c',
      'column.mask.with.0.chars': 'a.b.c, a.b.d',
      'column.mask.with.3.chars': ' ',
      'column.include.list': 'a.b.c',
    });
    expect(masks.map(({ kind, ...rest }) => ({ kind, ...rest, columns: rest.columns.sources.join() }))).toEqual([
      { kind: 'asterisks', length: 0, columns: 'a.b.c,a.b.d' },
      { kind: 'hash', hash: { version: 1, algorithm: 'sha1', salt: 's' }, columns: 'a.b.c' },
      { kind: 'hash', hash: { version: 2, algorithm: 'sha512-256', salt: 'a.b.with.salt.c' }, columns: 'a.b.c' },
      { kind: 'truncate', length: 5, columns: 'a.b.c' },
    ]);
  });

  test.each([
    ['column.mask.with.5.chars', 'a.b.(', 'a comma-separated list of valid regular expressions is expected'],
    ['column.mask.with.many.chars', 'a.b.c', 'unmasked values would be published'],
    ['Column.Mask.With.5.Chars', 'a.b.c', 'unmasked values would be published'],
    ['column.mask.with.65537.chars', 'a.b.c', 'at most 65536 characters'],
    ['column.truncate.to.0.chars', 'a.b.c', 'a length of at least 1 character is expected'],
    ['column.truncate.5', 'a.b.c', 'unmasked values would be published'],
    ['column.mask.hash.v2.SHA-256.with.salt.', 'a.b.c', 'unmasked values would be published'],
    ['column.mask.hash.v3.SHA-256.with.salt.s', 'a.b.c', 'unmasked values would be published'],
    ['column.mask.hash.v2.CRC32.with.salt.pepper', 'a.b.c', 'the hash algorithm crc32 is not supported'],
  ])('%s=%s is rejected: %s', (name, value, text) => {
    const found = problems({ [name]: value });
    expect(found).toHaveLength(1);
    expect(found[0]?.toLowerCase()).toContain(text);
    expect(found[0]).not.toContain('pepper');
  });

  test('no warning about a mask, a known key, names its salt', () => {
    expect(checkConfig({ ...GOOD, 'column.mask.hash.v2.MD5.with.salt.pepper': 'a.b.c' })).toMatchObject({
      problems: [],
      warnings: [],
    });
  });
});
