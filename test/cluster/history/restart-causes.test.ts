/** Why connectors and tasks were restarted, as another worker and a restarted one know it. */
import type { Herder } from '../../../src/cluster/herder';
import { waitFor } from '../../helpers/wait-for';
import { createWorker, states, type TestWorker } from '../herder-fixtures';
import { MemoryKafka } from '../memory-kafka';

const SOURCE = { name: 'c', 'connector.class': 'org.example.TickConnector', 'tasks.max': '2' };

let kafka: MemoryKafka;
let workers: TestWorker[];
beforeEach(async () => {
  kafka = new MemoryKafka();
  workers = [];
});
afterEach(async () => await Promise.all(workers.map(async ({ herder }) => await herder.stop())));

async function start(url = 'http://w1:8083/'): Promise<TestWorker> {
  const restart = { max: 3, backoffMs: 1, maxBackoffMs: 60_000 };
  const worker = createWorker(kafka, 'g', { url, config: { restart } });
  workers.push(worker);
  await worker.herder.start();
  expect(await worker.herder.health()).toMatchObject({ status: 'healthy' });
  return worker;
}
const reaches = async ({ herder }: TestWorker, expected: string): Promise<void> => {
  await waitFor(`c to be ${expected}`, () => states(herder, 'c') === expected, {
    everyMs: 5,
    detail: () => states(herder, 'c'),
  });
};
/** `task by user detail` of the last restart. */
const lastRestart = (herder: Herder): string => {
  const last = herder.reads.lastRestart('c');
  return last === null ? 'none' : `${last.task} ${last.cause.by} ${last.cause.user} ${last.cause.detail}`;
};
const becomes = async ({ herder }: TestWorker, expected: string): Promise<void> => {
  await waitFor(`last restart to be ${expected}`, () => lastRestart(herder) === expected, {
    everyMs: 5,
    detail: () => `${lastRestart(herder)}\n${kafka.texts('g-status').join('\n')}`,
  });
  // A cause that is written is also the cause of a change, once.
  const same = herder.history
    .list('c')
    .filter(({ kind, at }) => kind === 'restarted' && at === herder.reads.lastRestart('c')?.at);
  expect(same).toHaveLength(1);
};

async function restarted(): Promise<TestWorker> {
  await Promise.all(workers.splice(0).map(async ({ herder }) => await herder.stop()));
  const worker = await start('http://w3:8083/');
  await reaches(worker, 'RUNNING RUNNING,RUNNING');
  return worker;
}

test('a task restarted by a user: every later status names the user, also after a restart of all workers', async () => {
  const one = await start();
  await one.herder.writes.createConnector('c', SOURCE, null, 'jane');
  await reaches(one, 'RUNNING RUNNING,RUNNING');
  expect(lastRestart(one.herder)).toBe('none');
  const other = await start('http://w2:8083/');
  await reaches(other, 'RUNNING RUNNING,RUNNING');
  const owner = one.host.has({ connector: 'c', task: 1 }) ? one : other;
  await owner.herder.restarts.restartTask('c', 1, 'joe');
  for (const worker of [one, other]) await becomes(worker, '1 user joe null');
  const again = await restarted();
  await becomes(again, '1 user joe null');
  await again.herder.writes.setTargetState('c', 'PAUSED', 'joe');
  await reaches(again, 'PAUSED PAUSED,PAUSED');
  await becomes(again, '1 user joe null');
});

test('an automatic restart says its attempt, and replaces the cause of an earlier one', async () => {
  const worker = await start();
  await worker.herder.writes.createConnector('c', SOURCE, null);
  await reaches(worker, 'RUNNING RUNNING,RUNNING');
  await worker.herder.restarts.restartConnector('c', 'joe');
  await becomes(worker, 'null user joe null');
  for (const attempt of [1, 2]) {
    worker.host.fail({ connector: 'c', task: 0 }, true);
    await becomes(worker, `0 automatic null attempt ${attempt} of 3`);
    await reaches(worker, 'RUNNING RUNNING,RUNNING');
  }
  expect(worker.herder.history.list('c').filter(({ kind }) => kind === 'failed')).toHaveLength(2);
  await becomes(await restarted(), '0 automatic null attempt 2 of 3');
});

test('a restart request is a change itself, and the cause of the restarts it leads to', async () => {
  const worker = await start();
  await worker.herder.writes.createConnector('c', SOURCE, null);
  await reaches(worker, 'RUNNING RUNNING,RUNNING');
  await worker.herder.restarts.requestRestart('c', { includeTasks: true, onlyFailed: false }, 'ann');
  const causes = (): string[] =>
    worker.herder.history
      .list('c')
      .filter(({ cause }) => cause.user === 'ann')
      .map(({ kind, task, cause }) => `${kind} ${task} ${cause.detail}`)
      .sort();
  await waitFor('the restarts', () => causes().length === 4, { everyMs: 5, detail: () => causes().join() });
  expect(causes()).toEqual([
    'restart requested null connector and tasks',
    'restarted 0 null',
    'restarted 1 null',
    'restarted null null',
  ]);
});

test('a changed config is the cause of the restarts it leads to', async () => {
  const worker = await start();
  await worker.herder.writes.createConnector('c', SOURCE, null);
  await reaches(worker, 'RUNNING RUNNING,RUNNING');
  await worker.herder.writes.putConnectorConfig('c', { ...SOURCE, value: 'new' }, 'jane');
  await waitFor(
    'both tasks to be restarted',
    () =>
      [0, 1].every((id) =>
        worker.herder.history.list('c').some(({ kind, task }) => kind === 'restarted' && task === id),
      ),
    { everyMs: 5 },
  );
  expect(worker.herder.reads.lastRestart('c')?.cause).toEqual({
    by: 'automatic',
    user: null,
    detail: 'configuration changed',
  });
});

test('a connector with the name of a deleted one was never restarted', async () => {
  const worker = await start();
  await worker.herder.writes.createConnector('c', SOURCE, null);
  await reaches(worker, 'RUNNING RUNNING,RUNNING');
  await worker.herder.restarts.restartConnector('c', 'joe');
  await becomes(worker, 'null user joe null');
  await worker.herder.writes.deleteConnector('c', 'joe');
  await reaches(worker, '');
  expect(lastRestart(worker.herder)).toBe('none');
  await worker.herder.writes.createConnector('c', SOURCE, null);
  await reaches(worker, 'RUNNING RUNNING,RUNNING');
  expect(lastRestart(worker.herder)).toBe('none');
});
