/** The same documents with the same jars in Java's worker and in Millrace: every record is the same. */
import { realpathSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { sep } from 'node:path';
import { pluginPath, type PluginFolder } from '../../../dev/services/plugin-jars';
import type { StartedWorker } from '../../../dev/services/worker';
import { childrenOf } from '../../helpers/child-processes';
import { Clients } from '../../helpers/kafka-clients';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { Cluster, describeWithJava } from './fixtures';
import { debezium, fileSink, fileSource, jdbcSink, type Document } from './jar-documents';
import { recordsOf, type FetchedRecord } from './topic-contents';

const TRANSFORMS = 'org.apache.kafka.connect.transforms';
const JSON_CONVERTER = 'org.apache.kafka.connect.json.JsonConverter';
const STEPS = {
  transforms: 'hoist,origin,kind,key,route,last',
  'transforms.hoist.type': `${TRANSFORMS}.HoistField$Value`,
  'transforms.hoist.field': 'line',
  'transforms.origin.type': `${TRANSFORMS}.InsertField$Value`,
  'transforms.origin.static.field': 'origin',
  'transforms.origin.static.value': 'file ü',
  'transforms.kind.type': `${TRANSFORMS}.InsertHeader`,
  'transforms.kind.header': 'kind',
  'transforms.kind.value.literal': '42',
  'transforms.kind.predicate': 'tombstone',
  'transforms.kind.negate': 'true',
  'transforms.key.type': `${TRANSFORMS}.ValueToKey`,
  'transforms.key.fields': 'line',
  'transforms.route.type': `${TRANSFORMS}.RegexRouter`,
  'transforms.route.regex': '(.*)-in',
  'transforms.route.replacement': '$1-out',
  'transforms.last.type': `${TRANSFORMS}.Filter`,
  'transforms.last.predicate': 'in',
  predicates: 'tombstone,in',
  'predicates.tombstone.type': `${TRANSFORMS}.predicates.RecordIsTombstone`,
  'predicates.in.type': `${TRANSFORMS}.predicates.TopicNameMatches`,
  'predicates.in.pattern': '.*-in',
};

interface Side {
  readonly cluster: Cluster;
  readonly worker: StartedWorker;
}

/** Times of processing, positions of a snapshot and Debezium's `runId` are of the run. */
function comparable(value: Buffer | null): string {
  const text = String(value).replaceAll(/"ts_(ms|us|ns)":\d+(?=[^{]*$)/g, '"ts_$1":0');
  return /"op":"r"/.test(text)
    ? text.replaceAll(/"(ts_ms|ts_us|ts_ns|lsn|txId|sequence)":("(?:[^"\\]|\\.)*"|\d+)/g, '"$1":0')
    : text;
}

const shown = ({ key, value, headers }: FetchedRecord): unknown => ({
  key: key && String(key),
  value: value && comparable(value),
  headers: headers.map(
    ({ key, value }) => `${key}: ${key.endsWith('.runId') ? 'of the run' : String(value && Buffer.from(value))}`,
  ),
});

describeWithJava('the same jar in Java’s worker and in Millrace', () => {
  let clients: Clients;
  let database: TestDatabase;
  let java: Side;
  let ours: Side;
  const sides = (): Side[] => [java, ours];
  const detail = (): string => `${java.cluster.logs()}\n${ours.cluster.logs()}`;
  const topic = ({ cluster }: Side, name: string): string => `${cluster.group}-${name}`;

  /** Starts a document on both sides, in ours in the JVM of this folder: without one, it would compare nothing. */
  async function start(folder: PluginFolder, document: (side: Side) => Document): Promise<void> {
    await Promise.all(
      sides().map(async (side) => {
        const { name, config } = document(side);
        await side.worker.register({ name: `${name}-${side.cluster.group}`, config });
        await side.worker.running(`${name}-${side.cluster.group}`);
      }),
    );
    const started = [...ours.worker.process.log().matchAll(/The JVM of (\S+) starts \(Java .*, process (\d+)\)/g)];
    const within = `${realpathSync(await pluginPath(folder))}${sep}`;
    const pids = started.filter(([, path = '']) => path.startsWith(within)).map(([, , pid]) => Number(pid));
    expect(childrenOf(ours.worker.pid, 'java').some((pid) => pids.includes(pid))).toBe(true);
  }
  /** Names of the sides are not in the records. */
  const neutral = (records: unknown): unknown =>
    JSON.parse(sides().reduce((text, { cluster }) => text.replaceAll(cluster.group, 'side'), JSON.stringify(records)));
  async function both(name: string, count: number): Promise<[unknown, unknown]> {
    const [left, right] = await Promise.all(
      sides().map(async (side) => (await recordsOf(clients, topic(side, name), count, detail)).map(shown)),
    );
    return [neutral(left), neutral(right)];
  }

  beforeAll(async () => {
    clients = new Clients();
    database = await TestDatabase.create(`
      CREATE TABLE t (id int PRIMARY KEY, title text DEFAULT 'none', price numeric(8,2), at timestamptz, doc jsonb, big bytea);
      INSERT INTO t (id, title) VALUES (1, 'ü 😀'), (2, NULL)`);
    const settings = { 'plugin.path': await pluginPath('file', 'mirror', 'debezium-postgres', 'debezium-jdbc') };
    const [first, second] = [await Cluster.create(), await Cluster.create()];
    [java, ours] = await Promise.all([
      first.java(settings).then((worker) => ({ cluster: first, worker })),
      second.ours(settings).then((worker) => ({ cluster: second, worker })),
    ]);
  });
  afterAll(async () => {
    await java?.cluster.close();
    await ours?.cluster.close();
    await clients?.close();
    await database?.drop();
  });

  test('a file source with transformations, predicates, headers and JSON with schemas', async () => {
    const lines = ['one', '', 'drei ü', '😀 "four"\\', 'x'.repeat(100_000)];
    await start('file', (side) => {
      const file = side.cluster.path('lines.txt');
      const converters = { 'key.converter': JSON_CONVERTER, 'value.converter': JSON_CONVERTER };
      return fileSource('lines', topic(side, 'lines-in'), file, { ...STEPS, ...converters });
    });
    for (const side of sides())
      await writeFile(side.cluster.path('lines.txt'), lines.map((line) => `${line}\n`).join(''));
    const [left, right] = await both('lines-out', lines.length);
    expect(right).toEqual(left);
    expect(right).toHaveLength(lines.length);
  });

  test('a sink: tombstones, null keys, headers, and dead letters header by header', async () => {
    const names = sides().map((side) => topic(side, 'mixed'));
    for (const name of names) await clients.topic(1, {}, name);
    const schema = { type: 'struct', fields: [{ field: 'a', type: 'int32' }], optional: true };
    const good = (a: unknown): string => JSON.stringify({ schema, payload: { a } });
    const values = [good(1), 'no json', good('no number'), null, good(2), '{"payload": 1}', good(null), '[]', good(3)];
    const producer = await clients.producer();
    await producer.prepare(names);
    for (const name of names)
      for (const [at, value] of values.entries())
        producer.send({
          topic: name,
          partition: 0,
          timestamp: 1_700_000_000_000 + at,
          key: at % 2 === 0 ? null : Buffer.from(`"key ${at}"`),
          value: value === null ? null : Buffer.from(value),
          headers:
            at % 3 === 0
              ? []
              : [
                  { key: 'h', value: Buffer.from(`${at}`) },
                  { key: 'h', value: null },
                ],
        });
    await producer.flush();
    await start('file', (side) =>
      fileSink('mixed', topic(side, 'mixed'), side.cluster.path('mixed.txt'), {
        'key.converter': JSON_CONVERTER,
        'key.converter.schemas.enable': 'false',
        'value.converter': JSON_CONVERTER,
        transforms: 'a',
        'transforms.a.type': `${TRANSFORMS}.ExtractField$Value`,
        'transforms.a.field': 'a',
        'errors.tolerance': 'all',
        'errors.deadletterqueue.topic.name': topic(side, 'dead'),
        'errors.deadletterqueue.topic.replication.factor': '1',
        'errors.deadletterqueue.context.headers.enable': 'true',
      }),
    );
    const file = async (side: Side): Promise<string> =>
      await waitFor(
        'the last line',
        async () => {
          const text = await readFile(side.cluster.path('mixed.txt'), 'utf8').catch(() => '');
          return text.endsWith('3\n') && text;
        },
        { detail },
      );
    const [left, right] = await Promise.all(sides().map(file));
    expect(right).toBe(left);
    const [dead, own] = (await both('dead', 3)) as [DeadLetter[], DeadLetter[]];
    expect(own.map(withoutFrames)).toEqual(dead.map(withoutFrames));
    expect(own.length).toBeGreaterThanOrEqual(3);
  });

  test('Debezium: snapshot, changes, tombstones and truncation, with JSON and schemas', async () => {
    const converters = { transforms: 'side', 'transforms.side.type': `${TRANSFORMS}.RegexRouter` };
    await start('debezium-postgres', (side) =>
      debezium('rows', database, {
        ...converters,
        'transforms.side.regex': `${database.name}.public.(.*)`,
        'transforms.side.replacement': topic(side, 'rows-$1'),
        'slot.name': `${database.slot}_${side === java ? 'java' : 'ours'}`,
        'publication.name': `pub_${side === java ? 'java' : 'ours'}`,
        'table.include.list': 'public.t',
        'skipped.operations': 'none',
      }),
    );
    await waitFor('both to stream', async () => (await database.streams()) === 2, { detail });
    await database.query(`
      INSERT INTO t SELECT i, 'title ' || i, i / 3.0, '2024-02-29 12:00:00.123456Z', '{"a": 1}', '\\x00ff' FROM generate_series(3, 20) i;
      UPDATE t SET title = 'changed' WHERE id % 3 = 0; UPDATE t SET id = id + 1000 WHERE id = 5;
      DELETE FROM t WHERE id % 5 = 0; TRUNCATE t; INSERT INTO t (id) VALUES (99)`);
    const expected = 2 + 18 + 6 + 3 + 4 * 2 + 1 + 1;
    const [left, right] = await both('rows-t', expected);
    expect(right).toEqual(left);
  });

  test('the JDBC sink writes the same rows, and its dead letters are the same', async () => {
    const schema = (fields: object[]): object => ({ type: 'struct', optional: false, fields });
    const key = (id: number): string =>
      JSON.stringify({ schema: schema([{ field: 'id', type: 'int32' }]), payload: { id } });
    const value = (id: number, title: string | null): string =>
      JSON.stringify({
        schema: schema([
          { field: 'id', type: 'int32' },
          { field: 'title', type: 'string', optional: true },
        ]),
        payload: { id, title },
      });
    const names = sides().map((side) => topic(side, 'jdbc'));
    for (const name of names) await clients.topic(1, {}, name);
    const producer = await clients.producer();
    await producer.prepare(names);
    const all: [string | null, string | null][] = [
      [key(1), value(1, 'one')],
      [key(2), value(2, null)],
      [key(3), 'no json'],
      [key(1), value(1, 'uno ü')],
      [key(2), null],
      [key(4), value(4, 'four')],
    ];
    for (const name of names)
      for (const [first, second] of all)
        producer.send({
          topic: name,
          partition: 0,
          key: first === null ? null : Buffer.from(first),
          value: second === null ? null : Buffer.from(second),
        });
    await producer.flush();
    const table = (side: Side): string => (side === java ? 'by_java' : 'by_ours');
    await start('debezium-jdbc', (side) =>
      jdbcSink('jdbc', topic(side, 'jdbc'), database, table(side), {
        'errors.tolerance': 'all',
        'errors.deadletterqueue.topic.name': topic(side, 'jdbc-dead'),
        'errors.deadletterqueue.topic.replication.factor': '1',
        'errors.deadletterqueue.context.headers.enable': 'true',
      }),
    );
    for (const side of sides())
      expect(
        await waitFor(
          'the last row',
          async () => {
            const rows = await database.query(`SELECT * FROM ${table(side)} ORDER BY id`).catch(() => []);
            return rows.some(({ id }) => id === 4) && rows;
          },
          { detail },
        ),
      ).toEqual([
        { id: 1, title: 'uno ü' },
        { id: 4, title: 'four' },
      ]);
    const [dead, own] = (await both('jdbc-dead', 1)) as [DeadLetter[], DeadLetter[]];
    expect(own.map(withoutFrames)).toEqual(dead.map(withoutFrames));
  });
});

interface DeadLetter {
  readonly headers: readonly string[];
}

/** The classes and messages of a trace, without its frames, which name Java's runtime. */
const withoutFrames = (letter: DeadLetter): unknown => ({
  ...letter,
  headers: letter.headers.map((header) =>
    header.includes('exception.stacktrace')
      ? header
          .split('\n')
          .filter((line) => !/^\s*(at |\.\.\. )/.test(line))
          .join('\n')
      : header,
  ),
});
