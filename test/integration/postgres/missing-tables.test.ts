/** Settings that name tables which do not exist, or whose rows do not arrive in the stream. */
import { completed, createDatabase, database, reads, resume, T } from './signals-harness';

test('cdc-postgres 99: rows of the signal table do not arrive: incremental snapshots use positions', async () => {
  await createDatabase(T);
  const publication = `pub_${database.name}`;
  await database.query(`CREATE PUBLICATION ${publication} FOR TABLE t`);
  const task = await resume({ 'publication.autocreate.mode': 'disabled' }, null);
  const data = { 'data-collections': ['public.t'] };
  const sent = task.task.onSignal({ id: 'rest', type: 'execute-snapshot', data });
  await task.until(completed);
  await sent;
  expect(reads(task.records)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
  const warnings = task.log.filter(({ message }) => message.startsWith('PG_SIGNAL'));
  expect(warnings.map(({ message }) => message)).toEqual([
    `PG_SIGNAL: rows of the signal table public.signals do not arrive in the stream, so signals in it are not read; incremental snapshots use positions in the WAL instead. Is it in the publication? ALTER PUBLICATION "${publication}" ADD TABLE public.signals;`,
  ]);
});

test('a start warns of tables and columns in settings that do not exist', async () => {
  await createDatabase(`CREATE TABLE two (id text PRIMARY KEY, type text); ${T}`);
  const warned = async (overrides: Record<string, string>): Promise<string[]> => {
    const task = await resume(overrides, null);
    await task.stop();
    return task.log.filter(({ level }) => level === 'warn').map(({ message }) => message);
  };
  expect(await warned({ 'signal.data.collection': 'public.Signals' })).toEqual([
    'The table public.Signals of signal.data.collection does not exist, so no signals are read from it, and incremental snapshots fail. Run CREATE TABLE "public"."Signals" (id varchar(42) PRIMARY KEY, type varchar(32) NOT NULL, data varchar(2048)); and restart the connector if it runs. Upper and lower case matter.',
  ]);
  expect(await warned({ 'signal.data.collection': 'public.two' })).toEqual([
    'The table public.two of signal.data.collection has 2 column(s), but needs three in this order: (id varchar(42) PRIMARY KEY, type varchar(32) NOT NULL, data varchar(2048)).',
  ]);
  const key = 'snapshot.select.statement.overrides';
  const selects = {
    [key]: 'public.t,public.two,public.absent',
    [`${key}.public.t`]: 'SELECT * FROM t',
    [`${key}.public.absent`]: 'SELECT 1',
    [`${key}.public.other`]: 'SELECT 1',
  };
  expect(await warned(selects)).toEqual([
    `${key} names public.two, but ${key}.public.two is not set: all its rows are read.`,
    `${key}.public.other has no effect, because ${key} does not name its table: all its rows are read.`,
    `${key} names public.absent, which is not a captured table: its statement has no effect. Upper and lower case matter.`,
  ]);
  const columns = {
    'column.mask.hash.SHA-256.with.salt.secret': 'public.t.v,public.t.vv',
    'column.truncate.to.3.chars': 'public.two.(typ|type)',
    'column.exclude.list': 'public.two.typ',
  };
  const [of, none] = ['column.mask.* or column.truncate.* key', 'matches no column of a captured table'];
  expect((await warned(columns)).filter((message) => message.includes('pattern'))).toEqual([
    `The pattern public.t.vv of a ${of} ${none} (schema.table.column).`,
    `The pattern public.two.typ of column.exclude.list ${none} (schema.table.column).`,
  ]);
});
