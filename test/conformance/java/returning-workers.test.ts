/** Workers of a mixed group that return under their address, with either kind as leader: Java's rules hold. */
import type { StartedWorker } from '../../../dev/services/worker';
import { leaderOf } from '../../helpers/leader';
import { waitFor } from '../../helpers/wait-for';
import { Cluster, create, describeWithJava, type Sink } from './fixtures';

/** Longer than Java's worker takes to start. */
const SETTINGS = { 'scheduled.rebalance.max.delay.ms': '20000' };

describeWithJava('a worker of a mixed group that returns', () => {
  let cluster: Cluster;
  let sinks: Sink[];

  /** Connector or task → its worker, once each worker runs as much as the others. */
  async function shared(...workers: StartedWorker[]): Promise<Record<string, string>> {
    const hosts = workers.map(({ url }) => new URL(url).host);
    let seen: Record<string, string> = {};
    await waitFor(
      `${hosts.join(' and ')} to share everything`,
      async () => {
        seen = {};
        for (const { name } of sinks) {
          const { connector, tasks } = await (workers[0] as StartedWorker).status(name);
          for (const [id, { state, worker_id }] of [['connector', connector], ...tasks.entries()] as const)
            seen[`${name} ${id}`] = state === 'RUNNING' ? worker_id : state;
        }
        const counts = hosts.map((host) => Object.values(seen).filter((owner) => owner === host).length);
        return counts.every((count) => count === (3 * sinks.length) / workers.length);
      },
      { timeoutMs: 120_000, detail: () => `${JSON.stringify(seen)}\n${cluster.logs()}` },
    );
    return seen;
  }

  async function lines(): Promise<void> {
    for (const sink of sinks) await sink.send(20);
    for (const sink of sinks) await sink.hasEveryLine(cluster);
  }

  beforeEach(async () => {
    cluster = await Cluster.create();
    sinks = await Promise.all(['one', 'two'].map(async (name) => await cluster.sink(name, 2)));
  });
  afterEach(async () => await cluster?.close());

  test.each([
    ['Java leads, Millrace returns', 'java', 'ours'],
    ['Millrace leads, Java returns', 'ours', 'java'],
  ] as const)('connect-runtime 40: %s and gets its work when the delay is over', async (_, first, second) => {
    const leader = await cluster[first](SETTINGS);
    for (const sink of sinks) await create(leader, sink);
    let follower = await cluster[second](SETTINGS);
    const before = await shared(leader, follower);
    expect(await leaderOf([leader, follower])).toBe(leader);
    await follower.stop();
    follower = await cluster[second](SETTINGS, Number(new URL(follower.url).port));
    expect(await shared(leader, follower)).toEqual(before);
    await lines();
  });
});
