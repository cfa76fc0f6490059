/** Transaction metadata and logical messages of Debezium's task and of Millrace's, on one database. */
import type { EventRecord, TaskUnderTest } from '../../../dev/debezium/event-record';
import { JavaTask } from '../../../dev/debezium/java-task';
import { OwnTask } from '../../../dev/debezium/own-task';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { describeWithJava } from './fixtures';

/** The name of an object of Java's, which differs in each run, and Millrace's name instead. */
const MESSAGE_ID = /io\.debezium\.connector\.postgresql\.LogicalDecodingMessageMonitor\$LogicalDecodingMessageId@\w+/g;

/** Without what differs on purpose: times of receipt, and offsets of the first records of an event. */
function comparable({ topic, key, value, headers, sourceOffset }: EventRecord, isLast: boolean): unknown {
  const parsed = value[1] === null ? null : (JSON.parse(value[1].replace(MESSAGE_ID, 'compared.message')) as Event);
  if (parsed?.source) {
    for (const name of ['ts_ms', 'ts_us', 'ts_ns']) delete parsed[name];
    const { txId } = parsed.source;
    if (txId === null) for (const name of ['ts_ms', 'ts_us', 'ts_ns']) delete parsed.source[name];
    delete parsed.source.snapshot;
  }
  parsed?.data_collections?.sort((a, b) => a.data_collection.localeCompare(b.data_collection));
  const offset = JSON.parse(JSON.stringify(sourceOffset).replace(MESSAGE_ID, 'compared.message')) as object;
  const sorted = Object.entries(offset)
    .filter(
      ([name]) =>
        !['lsn_events_processed', 'tx_event_index', 'tx_message_done', 'ts_usec', 'wal_timeline'].includes(name),
    )
    .sort();
  return [topic, key[1], parsed, headers.map(([name]) => name), isLast ? sorted : null];
}
interface Event extends Record<string, unknown> {
  source?: Record<string, unknown>;
  data_collections?: { data_collection: string }[] | null;
}

function all(task: TaskUnderTest): unknown[] {
  const { records } = task;
  // A delete and its tombstone precede the last record of their event.
  const isFirst = (i: number): boolean => /"op":"d"/.test(records[i]?.value[1] ?? '');
  const isTombstone = (i: number): boolean => records[i]?.value[1] === null;
  const isKeyChange = (i: number): boolean =>
    isTombstone(i) && records[i]?.headers.some(([name]) => name === '__debezium.newkey') === true;
  return records.map((record, i) => comparable(record, !isFirst(i) && !isKeyChange(i)));
}

describeWithJava('transactions of Debezium and of Millrace', () => {
  let java: JavaTask;
  let database: TestDatabase;
  const own = new OwnTask();

  beforeAll(async () => {
    java = await JavaTask.create();
    database = await TestDatabase.create(
      'CREATE TABLE a (id int PRIMARY KEY, v int); CREATE TABLE b (id int PRIMARY KEY); CREATE TABLE c (id int PRIMARY KEY)',
    );
  });
  afterAll(async () => {
    await Promise.all([java?.stop(), own.stop()]);
    await java?.close();
    await database?.drop();
  });

  test('cdc-postgres 42, 43: begin, end, orders, messages and offsets', async () => {
    const config = (side: string): Record<string, string> => ({
      ...database.sourceConfig({ 'topic.prefix': 'compared', 'slot.name': `${database.slot}_${side}` }),
      'publication.autocreate.mode': 'all_tables',
      'snapshot.mode': 'no_data',
      'provide.transaction.metadata': 'true',
      'topic.delimiter': '_',
      'poll.interval.ms': '10',
    });
    await java.start(config('java'));
    await own.start(config('own'));
    const logs = (): string => `${java.logged()}\n${own.logged()}`;
    const bothStream = async (): Promise<boolean> => (await database.streams()) === 2;
    await waitFor('both to stream', bothStream, { detail: logs });
    await database.query("SELECT pg_logical_emit_message(false, 'outside', 'y')");
    await database.query(`BEGIN; INSERT INTO a VALUES (1); SELECT pg_logical_emit_message(true, 'inside', 'x');
      INSERT INTO b VALUES (1); UPDATE a SET v = 2; UPDATE a SET id = 2; DELETE FROM b; COMMIT`);
    await database.query("SELECT pg_logical_emit_message(true, 'alone', 'y'); TRUNCATE a; INSERT INTO c VALUES (1)");
    const ended = ({ records }: TaskUnderTest): boolean =>
      records.at(-1)?.value[1]?.includes('"status":"END"') === true &&
      records.some(({ topic }) => topic === 'compared_public_c');
    await waitFor('the last transaction', () => ended(java) && ended(own), { detail: logs });
    expect(java.records.length).toBeGreaterThan(15);
    expect(all(own)).toEqual(all(java));
  });
});
