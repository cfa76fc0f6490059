/**
 * Exactly-once delivery with settings and plugins that change what a poll returns: a task that is killed between any
 * two polls of its snapshot and of its stream, also within large transactions.
 */
import { installDebianPostgres, startDebianPostgres } from '../../../dev/services/debian-postgres';
import type { RunningPostgres } from '../../../dev/services/postgres';
import { seeded } from '../../helpers/seeded';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { Delivered, DONE, expectExact, NAMES, ROWS, TABLES, Writer } from './exactly-once-harness';
import { taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
let delivered: Delivered;
afterEach(async () => {
  await delivered?.stop();
  await database.drop();
});

const METADATA = { 'provide.transaction.metadata': 'true' };
const NOTIFIED = { 'notification.enabled.channels': 'sink', 'notification.sink.topic.name': 'notes' };
const BEATS = { 'heartbeat.interval.ms': '20', 'heartbeat.action.query': 'INSERT INTO beats VALUES (now())' };
const SMALL = { 'max.batch.size': '100', 'max.queue.size': '120' };
/** Polls during which the rows change. */
const POLLS = 30;

/** Of all topics, with every change checked. */
async function killedAgainAndAgain(
  seed: number,
  settings: Record<string, string>,
  names = NAMES,
  server: { server?: string } = {},
): Promise<AnyRecord[]> {
  const random = seeded(seed).below;
  database = await TestDatabase.create(`${TABLES} CREATE TABLE beats (at timestamptz)`, server);
  await database.query(`ALTER DATABASE ${database.name} SET logical_decoding_work_mem = '64kB'`);
  for (const name of NAMES)
    await database.query(`INSERT INTO ${name} SELECT i, 0 FROM generate_series(0, ${ROWS - 1}) i`);
  const clients = [await database.connect(), await database.connect()] as const;
  delivered = new Delivered(
    database,
    taskConfig(database, {
      'max.batch.size': '400',
      'max.queue.size': '500',
      'snapshot.fetch.size': '300',
      'publish.via.partition.root': 'true',
      'publication.autocreate.mode': 'filtered',
      'tombstones.on.delete': 'false',
      'table.include.list': names.map((name) => `public.${name}`).join(','),
      ...settings,
    }),
  );
  await delivered.start();
  const committed: string[] = [];
  const short = new Writer(clients[0], random, 0, true, names);
  const long = new Writer(clients[1], random, 1, true, names);
  let open: string[] = [];
  await long.begin();
  for (let polls = 0; !delivered.snapshotCompleted || polls < POLLS; polls++) {
    await delivered.poll();
    if (polls < POLLS) {
      await short.begin();
      const changes = await short.statements();
      await short.commit();
      committed.push(...changes);
      open.push(...(await long.statements()));
    }
    if (random(5) === 0) {
      await long.commit();
      committed.push(...open);
      open = [];
      await long.begin();
    }
    if (random(3) === 0) await delivered.kill();
  }
  await long.commit();
  committed.push(...open);
  await database.query(`INSERT INTO plain VALUES (${DONE}, 0)`);
  const isDone = async (): Promise<boolean> => {
    const batch = await delivered.poll();
    if (random(6) === 0) await delivered.kill();
    return batch.some(({ value }) => value?.after?.id === DONE);
  };
  const { records } = delivered;
  await waitFor('the last change', isDone, { everyMs: 0, detail: () => String(records.length) });
  for (const client of clients) await client.end();
  const isChange = ({ topic, value }: AnyRecord): boolean =>
    names.some((name) => topic.endsWith(`.public.${name}`)) && value?.after?.id !== DONE;
  await expectExact(database, records.filter(isChange), committed, names);
  return records;
}

/** Each transaction has one BEGIN and one END, and its events are numbered without gaps. */
function expectCounted(records: readonly AnyRecord[]): void {
  const idOf = (id: string): string => id.split(':')[0] as string;
  const faults: string[] = [];
  let open: string | null = null;
  let total = 0;
  for (const { topic, value } of records) {
    if (topic.endsWith('.transaction')) {
      const isBegin = value.status === 'BEGIN';
      if (isBegin ? open !== null : idOf(value.id) !== open || value.event_count !== total)
        faults.push(`${value.status} ${value.id} ${value.event_count}, not ${open} ${total}`);
      open = isBegin ? idOf(value.id) : null;
      total = 0;
    } else if (value?.transaction != null) {
      total++;
      if (idOf(value.transaction.id) !== open || value.transaction.total_order !== total)
        faults.push(`${value.transaction.id} ${value.transaction.total_order}, not ${open} ${total}`);
    }
  }
  expect(faults).toEqual([]);
}

test.each([
  ['pgoutput.streaming', 1, { 'pgoutput.streaming': 'on', ...NOTIFIED, ...METADATA }],
  ['heartbeats', 2, { ...BEATS, ...SMALL, ...METADATA }],
])(
  'connect-runtime 80: killed between polls, %s: changes, counters and notifications are exact',
  async (_, seed, settings) => {
    expectCounted(await killedAgainAndAgain(seed, settings));
    expect(delivered.kills).toBeGreaterThan(10);
  },
);

const missing = installDebianPostgres(['wal2json', 'decoderbufs']);
if (missing !== null) console.warn(`The tests of output plugins are skipped: ${missing}`);
(missing === null ? describe : describe.skip)('output plugins', () => {
  let server: RunningPostgres;
  beforeAll(async () => {
    server = await startDebianPostgres();
  });
  afterAll(async () => {
    await server?.stop();
  });

  test.each([
    ['decoderbufs', 3],
    ['wal2json', 4],
    ['wal2json_streaming', 5],
  ])('connect-runtime 80: killed between polls, %s', async (plugin, seed) => {
    const settings = { 'plugin.name': plugin, ...METADATA };
    expectCounted(await killedAgainAndAgain(seed, settings, ['plain', 'keyless'], { server: server.url }));
    expect(delivered.kills).toBeGreaterThan(10);
  });
});
