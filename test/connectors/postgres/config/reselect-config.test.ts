import { checkConfig } from '../../../../connectors/postgres/src/config/check';
import { parseConfig } from '../../../../connectors/postgres/src/config/postgres-config';

const GOOD = { 'topic.prefix': 'p', 'database.hostname': 'h', 'database.user': 'u', 'database.dbname': 'd' };
const NAMED = {
  'post.processors': 'r',
  'r.type': 'io.debezium.processors.reselect.ReselectColumnsPostProcessor',
};
const problems = (config: Record<string, string>): string[] =>
  checkConfig({ ...GOOD, ...config }).problems.map(({ key, message }) => `${key}: ${message.split(': ')[1]}`);

describe('cdc-postgres 41: columns that are read again, as configured', () => {
  test('defaults', () => {
    expect(parseConfig(GOOD).reselect).toBeNull();
    expect(parseConfig({ ...GOOD, ...NAMED }).reselect).toEqual({
      ...{ include: null, exclude: null, unavailable: true, nulls: true, byEventKey: false, fails: false },
    });
  });

  test('all settings', () => {
    const { reselect } = parseConfig({
      ...GOOD,
      ...NAMED,
      'r.reselect.columns.exclude.list': 'public.a:b, public.c:.*',
      'r.reselect.unavailable.values': 'FALSE',
      'r.reselect.null.values': 'false',
      'r.reselect.use.event.key': 'true',
      'r.reselect.error.handling.mode': 'Fail',
    });
    expect(reselect).toMatchObject({ unavailable: false, nulls: false, byEventKey: true, fails: true });
    expect(reselect?.exclude?.matches('PUBLIC.c:d')).toBe(true);
  });

  test.each([
    [{ 'post.processors': 'a,b' }, ['post.processors: only one post-processor is supported']],
    [{ 'post.processors': 'a' }, ['post.processors: a.type']],
    [{ 'r.type': 'x' }, ['r.type: only io.debezium.processors.reselect.ReselectColumnsPostProcessor is supported']],
    [{ 'r.reselect.null.values': 'no' }, ["r.reselect.null.values: Either 'true' or 'false' is expected"]],
    [{ 'r.reselect.error.handling.mode': 'x' }, ['r.reselect.error.handling.mode: Value must be one of warn, fail']],
    [
      { 'r.reselect.columns.include.list': '(' },
      ['r.reselect.columns.include.list: A comma-separated list of valid regular expressions is expected'],
    ],
    [
      { 'r.reselect.columns.include.list': 'a', 'r.reselect.columns.exclude.list': 'b' },
      ['r.reselect.columns.exclude.list: "r.reselect.columns.include.list" is already specified'],
    ],
    [{ 'r.reselect.cache.enabled': 'true' }, ['r.reselect.cache.enabled: values are not cached here']],
  ])('%j', (config, expected) => {
    const found = problems({ ...NAMED, ...config });
    for (const [i, message] of expected.entries()) expect(found[i]).toContain(message);
    expect(found).not.toEqual([]);
  });
});
