/**
 * The process of a source is suspended during its work (a closed laptop, a paused virtual machine, a node without
 * memory) and resumed when another worker has long taken over. What it was about to write is outdated, and must not be
 * written.
 */
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import type { AssignedConsumer, TopicPartition } from '../../packages/kafka-client/src/port';
import { Clients, readToEnd } from '../helpers/kafka-clients';
import { TestDatabase } from '../helpers/test-database';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

const KEYS = 2_000;
/** Rows of one transaction: the suspended worker has some of them in each of its buffers. */
const ROWS_EACH = 500;

/** The topic, read as it grows. Per id the last emitted version and the greatest one. */
class Told {
  events = 0;
  readonly last = new Map<number, number>();
  readonly greatest = new Map<number, number>();
  private constructor(
    private readonly consumer: AssignedConsumer,
    private readonly partition: TopicPartition,
  ) {}

  static async of(topic: string): Promise<Told> {
    const partition = { topic, partition: 0 };
    const consumer = await clients.assigned();
    consumer.assign([partition]);
    return new Told(consumer, partition);
  }

  async readOn(): Promise<void> {
    const [end] = await clients.admin.listOffsets([this.partition], 'latest');
    for (const { records } of await readToEnd(this.consumer, this.partition, end?.offset ?? 0))
      for (const { value } of records) {
        const { id, version } = (JSON.parse(String(value)) as { after: { id: number; version: number } }).after;
        this.events++;
        this.last.set(id, version);
        this.greatest.set(id, Math.max(version, this.greatest.get(id) ?? -1));
      }
  }
}

let database: TestDatabase;
let clients: Clients;
let workers: StartedWorker[];
const logs = (): string => workers.map(({ process }) => process.log().slice(-4000)).join('\n===\n');

beforeEach(async () => {
  workers = [];
  clients = new Clients();
  database = await TestDatabase.create(`CREATE TABLE todos (id int PRIMARY KEY, version int NOT NULL, title text);
    INSERT INTO todos SELECT id, 0, repeat('todo ' || id, 20) FROM generate_series(0, ${KEYS - 1}) AS id`);
  // The server releases the slot of a suspended client after this time.
  await database.query(`ALTER DATABASE ${database.name} SET wal_sender_timeout = '5s'`);
});
afterEach(async () => {
  for (const worker of workers) process.kill(worker.pid, 'SIGCONT');
  await Promise.all(workers.map((worker) => worker.stop()));
  await clients.close();
  await database.drop();
});

/** The positions of the connector stored one after another, as far as the offsets topic still has them. */
async function storedPositions(group: string): Promise<number[]> {
  const partition = { topic: `${group}-offsets`, partition: 0 };
  const [end] = await clients.admin.listOffsets([partition], 'latest');
  const consumer = await clients.assigned();
  consumer.assign([partition]);
  const batches = await readToEnd(consumer, partition, end?.offset ?? 0);
  return batches
    .flatMap(({ records }) => records)
    .filter(({ key }) => String(key).startsWith(`["${group}",`))
    .map(({ value }) => (JSON.parse(String(value)) as { lsn: number }).lsn);
}

const descents = (values: readonly number[]): number =>
  values.filter((value, i) => i > 0 && value < (values[i - 1] as number)).length;

/** Keys whose change to the database's version was never emitted; keys with another version emitted after it. */
async function differences(told: Told): Promise<{ lost: number; stale: number }> {
  await told.readOn();
  const rows = await database.query('SELECT id, version FROM todos');
  const differ = (seen: ReadonlyMap<number, number>): number =>
    rows.filter(({ id, version }) => seen.get(Number(id)) !== Number(version)).length;
  return { lost: differ(told.greatest), stale: differ(told.last) };
}

const told = async (topic: Told): Promise<boolean> => (await differences(topic)).lost === 0;

test.each([
  ['a thread', {}],
  ['the main thread', { 'task.host': 'inline' }],
])(
  'connect-runtime 109: a worker that was suspended with its task in %s writes nothing after it wakes up',
  async (_, settings) => {
    const group = uniqueName('asleep');
    for (let i = 0; i < 2; i++) {
      const worker = await startWorker({
        group,
        settings: {
          'session.timeout.ms': '6000',
          'heartbeat.interval.ms': '1000',
          'scheduled.rebalance.max.delay.ms': '1000',
          'offset.flush.interval.ms': '500',
          'offset.storage.partitions': '1',
          'value.converter.schemas.enable': 'false',
          ...settings,
        },
      });
      workers.push(worker);
      await worker.ready();
    }
    const [first, second] = workers as [StartedWorker, StartedWorker];
    await first.register({ name: group, config: database.sourceConfig({ 'tombstones.on.delete': 'false' }) });
    const { tasks } = await first.running(group);
    const sleeper = first.url.endsWith(String(tasks[0]?.worker_id)) ? first : second;
    const other = sleeper === first ? second : first;
    const name = `${database.name}.public.todos`;
    await waitFor('the topic', async () => (await clients.admin.describeTopics([name])).length > 0);
    const topic = await Told.of(name);
    await waitFor('the snapshot', async () => await told(topic), { detail: logs });

    let writing = true;
    let changes = 0;
    const writer = (async () => {
      for (let at = 0; writing; at = (at + ROWS_EACH) % KEYS, changes += ROWS_EACH)
        await database.query(`UPDATE todos SET version = version + 1 WHERE id >= ${at} AND id < ${at + ROWS_EACH};
          SELECT pg_sleep(0.05)`);
    })();
    await waitFor('some changes', () => changes > 10_000);
    process.kill(sleeper.pid, 'SIGSTOP');
    const { host } = new URL(other.url);
    await other.statusWhen(
      group,
      (status) => status.tasks[0]?.state === 'RUNNING' && status.tasks[0].worker_id === host,
    );
    writing = false;
    await writer;
    await waitFor('the new owner to have told every change', async () => await told(topic), {
      timeoutMs: 120_000,
      detail: logs,
    });
    const before = topic.events;
    const joins = (): number => sleeper.process.log().split('Joined the group').length;
    const joined = joins();
    process.kill(sleeper.pid, 'SIGCONT');
    await waitFor('the sleeper to be a member again', () => joins() > joined, { detail: logs });

    // It would write its pending records before it gets work again.
    const next = { name: `${group}-2`, config: database.sourceConfig({ 'slot.name': `${database.slot}_2` }) };
    next.config['topic.prefix'] = `${database.name}_2`;
    await other.register(next);
    await other.running(next.name);
    await sleeper.running(next.name);
    expect({
      ...(await differences(topic)),
      late: topic.events - before,
      olderOffsets: descents(await storedPositions(group)),
    }).toEqual({ lost: 0, stale: 0, late: 0, olderOffsets: 0 });

    // Restarted, the connector resumes at its position.
    await other.request('POST', `/connectors/${group}/restart?includeTasks=true`);
    await database.query('UPDATE todos SET version = version + 1 WHERE id = 0');
    await waitFor('the next change', async () => await told(topic), { detail: logs });
    await other.running(group);
    expect(topic.events).toBe(before + 1);
  },
);
