/**
 * Goals G1 and G2: migration of Java's cluster to Millrace and back, at rest and after a crash. Source: connect-runtime
 * §1.7.
 */
import type { StartedWorker } from '../../../dev/services/worker';
import { waitFor } from '../../helpers/wait-for';
import type { Changes } from '@millrace/console';
import { ask, Cluster, create, describeWithJava, everything, reaches, type Sink } from './fixtures';

describeWithJava('migration of a cluster', () => {
  let cluster: Cluster;
  let java: StartedWorker;
  let ours: StartedWorker;
  let running: Sink;
  let paused: Sink;
  let stopped: Sink;
  let all: readonly Sink[];

  const sendToAll = async (): Promise<void> => {
    await Promise.all(all.map(async (sink) => await sink.send(100)));
  };
  const states = async (worker: StartedWorker): Promise<void> => {
    // A worker that was busy until it ended may leave its own RUNNING status.
    await reaches(worker, running.name, 'RUNNING RUNNING RUNNING', worker);
    await reaches(worker, paused.name, 'PAUSED PAUSED');
    await reaches(worker, stopped.name, 'STOPPED');
  };
  const rest = async (worker: StartedWorker): Promise<void> => {
    expect((await ask(worker, 'PUT', `/connectors/${paused.name}/pause`)).status).toBe(202);
    expect((await ask(worker, 'PUT', `/connectors/${stopped.name}/stop`)).status).toBe(204);
    await states(worker);
  };
  const resumed = async (worker: StartedWorker): Promise<void> => {
    for (const { name } of [paused, stopped]) {
      expect((await ask(worker, 'PUT', `/connectors/${name}/resume`)).status).toBe(202);
      await reaches(worker, name, 'RUNNING RUNNING', worker);
    }
    for (const sink of all) await sink.hasEveryLineOnce(cluster);
  };

  beforeAll(async () => {
    cluster = await Cluster.create();
    all = [running, paused, stopped] = await Promise.all([
      cluster.sink('running', 2),
      cluster.sink('paused'),
      cluster.sink('stopped'),
    ]);
    java = await cluster.java();
    for (const sink of all) await create(java, sink);
    await sendToAll();
    for (const sink of all) await sink.hasEveryLineOnce(cluster);
    await rest(java);
  });
  afterAll(async () => await cluster?.close());

  test('connect-runtime 28: Millrace continues after Java stops: configs, states and offsets are unchanged', async () => {
    const before = await everything(java);
    const written = await cluster.configEnd();
    await java.stop();
    await sendToAll();

    ours = await cluster.ours();
    await states(ours);
    expect(await everything(ours)).toEqual(before);
    await running.hasEveryLineOnce(cluster);
    expect([(await paused.lines()).length, (await stopped.lines()).length]).toEqual([100, 100]);
    // Nothing was published again: Millrace runs the task configs that Java's worker wrote.
    expect(await cluster.configEnd()).toBe(written);
    await resumed(ours);
  });

  test('connect-runtime 29, 32: Java continues after Millrace stops, with task configs that Millrace published', async () => {
    const born = await cluster.sink('born', 2);
    await create(ours, born);
    await born.send(100);
    await born.hasEveryLineOnce(cluster);
    all = [...all, born];
    // Task configs that differ from Java's.
    const changed = await ask(ours, 'PUT', `/connectors/${running.name}/config`, running.config({ 'tasks.max': '1' }));
    expect(changed.status).toBe(200);
    await reaches(ours, running.name, 'RUNNING RUNNING');
    await ask(ours, 'PUT', `/connectors/${running.name}/config`, running.config());
    await rest(ours);
    await reaches(ours, born.name, 'RUNNING RUNNING RUNNING', ours);
    const before = await everything(ours);
    // Java's worker reads records with headers of ours.
    expect((await ask(ours, 'POST', `/connectors/${running.name}/tasks/0/restart`)).status).toBe(204);
    await reaches(ours, running.name, 'RUNNING RUNNING RUNNING', ours);
    expect([await cluster.headers('configs'), await cluster.headers('status')]).toEqual([
      ['millrace.cause'],
      ['millrace.restart'],
    ]);
    const written = await cluster.configEnd();
    await ours.stop();
    await sendToAll();

    java = await cluster.java();
    await states(java);
    await reaches(java, born.name, 'RUNNING RUNNING RUNNING', java);
    expect(await everything(java)).toEqual(before);
    for (const sink of [running, born]) await sink.hasEveryLineOnce(cluster);
    expect([(await paused.lines()).length, (await stopped.lines()).length]).toEqual([200, 200]);
    // Java's connectors return the very same task configs, so nothing is published again.
    expect(await cluster.configEnd()).toBe(written);
    await resumed(java);
  });

  test('connect-runtime 30, 34: Java to Millrace and back while records flow, finally with a worker of the eager protocol', async () => {
    let flowing = true;
    const flow = (async () => {
      while (flowing) {
        await running.send(10);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    const flows = async (worker: StartedWorker): Promise<void> => {
      await reaches(worker, running.name, 'RUNNING RUNNING RUNNING', worker);
      const { length } = await running.lines();
      await waitFor('more lines', async () => (await running.lines()).length > length, {
        detail: () => cluster.logs(),
      });
    };
    await flows(java);
    await java.stop();
    ours = await cluster.ours();
    await flows(ours);
    // Changes by the earlier worker have their causes, and those by Java's worker have none.
    const { changes } = (await ask(ours, 'GET', '/ui/api/changes')).json as Changes;
    const causes = (kind: string): string[] =>
      changes.filter((change) => change.kind === kind).map(({ cause }) => cause.by);
    expect(new Set(causes('config changed'))).toEqual(new Set(['user', 'unknown']));
    expect([causes('resumed')[0], causes('resumed').at(-1)]).toEqual(['unknown', 'user']);
    await ours.stop();
    java = await cluster.java({ 'connect.protocol': 'eager' });
    await flows(java);
    flowing = false;
    await flow;
    await running.hasEveryLineOnce(cluster);
  });

  test('connect-runtime 31, 34: Java’s eager worker is killed and nothing is lost', async () => {
    for (const { name } of all) await java.running(name);
    await sendToAll();
    await java.crash();
    await sendToAll();
    ours = await cluster.ours();
    for (const { name } of [paused, stopped]) await reaches(ours, name, 'RUNNING RUNNING', ours);
    for (const sink of all) await sink.hasEveryLine(cluster);
  });
});
