/** Goal G3: Java's workers and Millrace in one group, with either as leader. Source: connect-runtime §2. */
import type { StartedWorker } from '../../../dev/services/worker';
import { leaderOf } from '../../helpers/leader';
import { waitFor } from '../../helpers/wait-for';
import { ask, Cluster, create, describeWithJava, reaches, type Sink } from './fixtures';

/** The key that signs requests rotates all the time. */
const SETTINGS = { 'inter.worker.key.ttl.ms': '2000' };

const host = (worker: StartedWorker): string => new URL(worker.url).host;

describeWithJava('a mixed group', () => {
  let cluster: Cluster;
  let leader: StartedWorker;
  let follower: StartedWorker;
  let sinks: Sink[];

  /** Owners: `connector` or `connector-task` → worker, as `worker` reports them. */
  async function owners(worker: StartedWorker): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const { name } of sinks) {
      const { connector, tasks } = await worker.status(name);
      found.set(name, connector.state === 'RUNNING' ? connector.worker_id : connector.state);
      for (const { id, state, worker_id } of tasks) found.set(`${name}-${id}`, state === 'RUNNING' ? worker_id : state);
    }
    return found;
  }

  /** Resolves when these workers run everything, each item once and evenly shared, and agree on the owners. */
  async function shared(...workers: StartedWorker[]): Promise<Map<string, string>> {
    let seen: Map<string, string>[] = [];
    const total = sinks.length;
    const count = (of: Map<string, string>, one: StartedWorker, tasks: boolean): number =>
      [...of].filter(([id, owner]) => /-\d+$/.test(id) === tasks && owner === host(one)).length;
    const even = (sum: number, counts: number[]): boolean =>
      counts.reduce((a, b) => a + b, 0) === sum && Math.max(...counts) - Math.min(...counts) <= 1;
    await waitFor(
      `${workers.map(host).join(' and ')} to share ${total} connectors`,
      async () => {
        seen = await Promise.all(workers.map(owners));
        const [first] = seen as [Map<string, string>];
        const same = seen.every((one) => JSON.stringify([...one]) === JSON.stringify([...first]));
        return [false, true].every(
          (tasks) =>
            same &&
            even(
              tasks ? 2 * total : total,
              workers.map((worker) => count(first, worker, tasks)),
            ),
        );
      },
      { timeoutMs: 120_000, detail: () => `${JSON.stringify(seen.map((one) => [...one]))}\n${cluster.logs()}` },
    );
    for (const sink of sinks)
      await waitFor(`two members of ${sink.name}`, async () => (await cluster.sinkMembers(sink)) === 2);
    return seen[0] as Map<string, string>;
  }

  async function lines(): Promise<void> {
    for (const sink of sinks) await sink.send(100);
    for (const sink of sinks) await sink.hasEveryLine(cluster);
  }

  /** A connector that the follower owns: its task configs can only be published through the leader. */
  async function republish(worker: StartedWorker): Promise<void> {
    const of = await shared(leader, follower);
    const sink = sinks.find(({ name }) => of.get(name) === host(follower)) as Sink;
    for (const [tasks, states] of [
      ['1', 'RUNNING RUNNING'],
      ['2', 'RUNNING RUNNING RUNNING'],
    ] as const) {
      const config = sink.config({ 'tasks.max': tasks });
      expect((await ask(worker, 'PUT', `/connectors/${sink.name}/config`, config)).status).toBe(200);
      for (const one of [leader, follower]) await reaches(one, sink.name, states);
    }
    const [task] = (await ask(leader, 'GET', `/connectors/${sink.name}/tasks`)).json;
    expect(task.config['task.class']).toBe('org.apache.kafka.connect.file.FileStreamSinkTask');
  }

  /** Changes through the follower reach the leader, and the leader's rejections are returned. */
  async function writesThroughFollower(): Promise<void> {
    const extra = await cluster.sink(`extra-${sinks.length}-${host(follower).split(':')[1]}`);
    await create(follower, extra);
    for (const one of [leader, follower]) await reaches(one, extra.name, 'RUNNING RUNNING');
    const refused = await waitFor('an answer that is not about a rebalance', async () => {
      const { body } = await follower.request('POST', '/connectors', { name: extra.name, config: extra.config() });
      return !body.includes('rebalance') && body;
    });
    expect(refused).toBe(JSON.stringify({ error_code: 409, message: `Connector ${extra.name} already exists` }));
    await extra.send(10);
    await extra.hasEveryLineOnce(cluster);
    expect((await ask(follower, 'PUT', `/connectors/${extra.name}/stop`)).status).toBe(204);
    for (const one of [leader, follower]) await reaches(one, extra.name, 'STOPPED');
    expect((await ask(follower, 'DELETE', `/connectors/${extra.name}`)).status).toBe(204);
    for (const one of [leader, follower])
      await waitFor('the connector to be gone', async () => {
        return !((await ask(one, 'GET', '/connectors')).json as string[]).includes(extra.name);
      });
  }

  /** The process is killed; its work moves when the session and the delay have expired. */
  async function killed(worker: StartedWorker, survivor: StartedWorker): Promise<void> {
    await worker.crash();
    const moved = await shared(survivor);
    expect(new Set(moved.values())).toEqual(new Set([host(survivor)]));
    await lines();
  }

  beforeAll(async () => {
    cluster = await Cluster.create();
    sinks = await Promise.all(['one', 'two', 'three'].map(async (name) => await cluster.sink(name, 2)));
    // Leaves transaction markers in the config topic.
    leader = await cluster.java({ ...SETTINGS, 'exactly.once.source.support': 'enabled' });
    follower = await cluster.ours(SETTINGS);
    for (const sink of sinks) await create(leader, sink);
  });
  afterAll(async () => await cluster?.close());

  test('connect-runtime 26, 36: Java leads, Millrace follows', async () => {
    await shared(leader, follower);
    expect(await leaderOf([leader, follower])).toBe(leader);
    await lines();
    for (const sink of sinks) await sink.hasEveryLineOnce(cluster);
    const described = await waitFor('the group to be stable', async () => {
      const group = await cluster.admin.describeGroup(cluster.group);
      return group.state === 'Stable' && group;
    });
    expect([described.protocolType, described.protocol]).toEqual(['connect', 'sessioned']);
  });

  test('connect-runtime 36, 50, 52: Java accepts the task configs that Millrace’s follower signed', async () => {
    await republish(leader);
    await republish(follower);
  });

  test('connect-rest 154, 155: Millrace’s follower forwards changes to Java', async () =>
    await writesThroughFollower());

  test('connect-rest 161: Millrace is killed and Java takes over its work', async () => await killed(follower, leader));

  test('connect-runtime 41: Java leaves, Millrace leads and runs everything at once', async () => {
    follower = await cluster.ours(SETTINGS);
    await shared(leader, follower);
    await leader.stop();
    leader = follower;
    await shared(leader);
    await lines();
  });

  test('connect-runtime 37: Millrace leads, Java follows', async () => {
    follower = await cluster.java(SETTINGS);
    await shared(leader, follower);
    expect(await leaderOf([leader, follower])).toBe(leader);
    await lines();
  });

  test('connect-runtime 37, 50, 52: Millrace accepts the task configs that Java’s follower signed', async () => {
    await republish(leader);
    await republish(follower);
  });

  test('connect-rest 154, 155: Java’s follower forwards changes to Millrace', async () =>
    await writesThroughFollower());

  test('connect-rest 161: Java is killed and Millrace takes over its work', async () => await killed(follower, leader));
});
