/**
 * Java's follower is frozen for longer than its session, and Millrace runs its work meanwhile. When it is back, both
 * share the work; each status must come from the new owner, and no final status of an old owner may overwrite it.
 */
import type { StartedWorker } from '../../../dev/services/worker';
import { waitFor } from '../../helpers/wait-for';
import { Cluster, create, describeWithJava } from './fixtures';

describeWithJava('connect-runtime 42: a frozen follower', () => {
  const names: string[] = [];
  let cluster: Cluster;
  let leader: StartedWorker;
  let follower: StartedWorker;
  beforeAll(async () => {
    cluster = await Cluster.create();
    leader = await cluster.ours();
    for (const name of ['f1', 'f2', 'f3', 'f4']) {
      const sink = await cluster.sink(name);
      names.push(sink.name);
      await create(leader, sink);
    }
    follower = await cluster.java();
  });
  afterAll(async () => {
    // A frozen process receives no other signal.
    if (follower) process.kill(follower.pid, 'SIGCONT');
    await cluster?.close();
  });

  /** `connector state@worker task state@worker`, per connector. */
  async function statuses(): Promise<string[][]> {
    const all = await Promise.all(names.map(async (name) => await leader.status(name)));
    return all.map(({ connector, tasks }) =>
      [connector, ...tasks].map(({ state, worker_id }) => `${state}@${worker_id}`),
    );
  }
  const running = (worker: StartedWorker): string => `RUNNING@${new URL(worker.url).host}`;
  async function sharedBy(what: string, ...workers: StartedWorker[]): Promise<void> {
    let seen: string[][] = [];
    await waitFor(
      what,
      async () => {
        seen = await statuses();
        const flat = seen.flat();
        const counts = workers.map((worker) => flat.filter((text) => text === running(worker)).length);
        return flat.length === 2 * names.length && counts.every((count) => count === flat.length / workers.length);
      },
      { detail: () => `${JSON.stringify(seen)}\n${cluster.logs()}` },
    );
  }

  test.each([1, 2])(
    'round %d: its work moves to Millrace while it is frozen, and is shared again afterwards',
    async () => {
      await sharedBy('the work to be shared', leader, follower);
      process.kill(follower.pid, 'SIGSTOP');
      await sharedBy('all of it to be ours', leader);
      process.kill(follower.pid, 'SIGCONT');
      await sharedBy('the work to be shared again', leader, follower);
    },
  );
});
