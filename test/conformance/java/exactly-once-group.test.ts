/**
 * Exactly-once sources in a group of Java's workers and ours: `preparing`, then `enabled`, one worker after the other,
 * then with either as leader. Sources: connect-runtime §1.4.7, §3.8, §3.9.
 */
import { appendFile } from 'node:fs/promises';
import type { StartedWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { leaderOf } from '../../helpers/leader';
import { waitFor } from '../../helpers/wait-for';
import { ask, Cluster, describeWithJava, reaches } from './fixtures';

const support = (value: string): Record<string, string> => ({ 'exactly.once.source.support': value });
const NAMES = ['one', 'two', 'three'];

describeWithJava('a mixed group with exactly-once sources', () => {
  const clients = new Clients();
  let cluster: Cluster;
  let java: StartedWorker;
  let ours: StartedWorker;
  let sent = 0;

  beforeAll(async () => {
    cluster = await Cluster.create();
    for (const name of NAMES) await clients.topic(1, {}, topic(name));
  });
  afterAll(async () => {
    await cluster?.close();
    await clients.close();
  });

  const topic = (name: string): string => `${cluster.group}-${name}`;
  const host = (worker: StartedWorker): string => new URL(worker.url).host;
  const source = (name: string): Record<string, string> => ({
    'connector.class': 'org.apache.kafka.connect.file.FileStreamSourceConnector',
    file: cluster.path(name),
    topic: topic(name),
  });

  async function send(count: number): Promise<void> {
    const lines = Array.from({ length: count }, () => `line ${sent++}\n`).join('');
    for (const name of NAMES) await appendFile(cluster.path(name), lines);
  }

  async function committed(of: string): Promise<string[]> {
    const consumer = await clients.assigned({ 'isolation.level': 'read_committed' });
    const partition = { topic: of, partition: 0 };
    const [end] = await cluster.admin.listOffsets([partition], 'latest', 'read_committed');
    consumer.assign([partition]);
    const texts: string[] = [];
    while ((consumer.position(partition) ?? 0) < (end?.offset ?? 0))
      for (const { records } of await consumer.poll(1_000))
        for (const { key, value } of records)
          texts.push(`${key === null ? '' : `${key.toString()}=`}${value?.toString() ?? '∅'}`);
    await consumer.close();
    return texts;
  }

  /** Every line, once and in order, as a consumer of committed records reads them. */
  async function hasEveryLineOnce(): Promise<void> {
    const expected = Array.from({ length: sent }, (_, i) => `line ${i}`);
    for (const name of NAMES) {
      let found: string[] = [];
      await waitFor(`${sent} lines of ${name}`, async () => (found = await committed(topic(name))).length >= sent, {
        detail: () => `found ${found.length}\n${cluster.logs()}`,
      });
      expect(found).toEqual(expected);
    }
  }

  /** Resolves when all tasks run, on all of these workers together. */
  async function running(...workers: StartedWorker[]): Promise<void> {
    let seen: string[] = [];
    await waitFor(
      'the tasks to be shared',
      async () => {
        const statuses = await Promise.all(
          workers.flatMap((worker) => NAMES.map(async (name) => await worker.status(name))),
        );
        const tasks = statuses.flatMap((status) => status.tasks);
        seen = [...new Set(tasks.map(({ state, worker_id }) => `${state}@${worker_id}`))].sort();
        const expected = workers.map((worker) => `RUNNING@${host(worker)}`).sort();
        return tasks.length === NAMES.length * workers.length && JSON.stringify(seen) === JSON.stringify(expected);
      },
      { detail: () => `${seen.join()}\n${cluster.logs()}` },
    );
  }

  const taskCounts = async (name: string): Promise<string[]> =>
    (await committed(`${cluster.group}-configs`)).filter((text) => text.startsWith(`tasks-fencing-${name}=`));

  /** The leader fences the tasks of the stopped connector, and writes the offsets in a transaction. */
  async function alterOffsets(through: StartedWorker, name: string): Promise<void> {
    expect((await ask(through, 'PUT', `/connectors/${name}/stop`)).status).toBe(204);
    for (const worker of [java, ours]) await reaches(worker, name, 'STOPPED');
    const { json } = await ask(through, 'GET', `/connectors/${name}/offsets`);
    const before = await taskCounts(name);
    const changed = await ask(through, 'PATCH', `/connectors/${name}/offsets`, json);
    expect([changed.status, changed.body]).toEqual([200, expect.stringContaining('successfully')]);
    expect((await taskCounts(name)).slice(before.length)).toEqual([`tasks-fencing-${name}={"task-count":0}`]);
    expect((await ask(through, 'PUT', `/connectors/${name}/resume`)).status).toBe(202);
    for (const worker of [java, ours]) await reaches(worker, name, 'RUNNING RUNNING');
    expect((await taskCounts(name)).at(-1)).toBe(`tasks-fencing-${name}={"task-count":1}`);
  }

  test('connect-runtime §3.9: preparing, with Java as leader', async () => {
    java = await cluster.java(support('preparing'));
    ours = await cluster.ours(support('preparing'));
    await send(100);
    for (const name of NAMES)
      expect((await ask(ours, 'POST', '/connectors', { name, config: source(name) })).status).toBe(201);
    await running(java, ours);
    expect(await leaderOf([java, ours])).toBe(java);
    await hasEveryLineOnce();
  });

  test('connect-runtime 88: the next leader claims the transactional id, Java’s and ours in turn', async () => {
    await java.stop();
    await send(100);
    for (const name of NAMES) await reaches(ours, name, 'RUNNING RUNNING', ours);
    expect((await ask(ours, 'PUT', '/connectors/one/config', source('one'))).status).toBe(200);
    java = await cluster.java(support('enabled'));
    await running(java, ours);
    expect(await leaderOf([java, ours])).toBe(ours);
    await ours.stop();
    for (const name of NAMES) await reaches(java, name, 'RUNNING RUNNING', java);
    expect((await ask(java, 'PUT', '/connectors/two/config', source('two'))).status).toBe(200);
    ours = await cluster.ours(support('enabled'));
    await running(java, ours);
    expect(await leaderOf([java, ours])).toBe(java);
    await hasEveryLineOnce();
  });

  test('connect-runtime 82: Java leads, fences for our tasks, and changes offsets', async () => {
    for (const name of NAMES) expect((await taskCounts(name)).at(-1)).toBe(`tasks-fencing-${name}={"task-count":1}`);
    await alterOffsets(ours, 'one');
    await send(100);
    await hasEveryLineOnce();
  });

  test('connect-runtime 80, 81: Java is killed inside its transactions, and we take over its tasks', async () => {
    await send(2_000);
    await java.crash();
    await send(2_000);
    for (const name of NAMES) await reaches(ours, name, 'RUNNING RUNNING', ours);
    await hasEveryLineOnce();
  });

  test('connect-runtime 82: we lead, fence for Java’s tasks, and change offsets', async () => {
    java = await cluster.java(support('enabled'));
    await running(java, ours);
    expect(await leaderOf([java, ours])).toBe(ours);
    await alterOffsets(java, 'three');
    await send(100);
    await hasEveryLineOnce();
  });

  test('connect-runtime 80, 81: we are killed inside our transactions, and Java takes over our tasks', async () => {
    await send(2_000);
    await ours.crash();
    await send(2_000);
    for (const name of NAMES) await reaches(java, name, 'RUNNING RUNNING', java);
    await hasEveryLineOnce();
  });
});
