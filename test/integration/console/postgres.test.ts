/** The console's details of a PostgreSQL source, asked at a worker that does not run its task. */
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import type { ConnectorDetails, ConnectorHistory, Overview, Validation } from '@millrace/console';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const NAME = 'todos';
const group = uniqueName('console-postgres');
let database: TestDatabase;
let workers: StartedWorker[] = [];
let other: StartedWorker;

beforeAll(async () => {
  database = await TestDatabase.create(
    "CREATE TABLE todos (id int PRIMARY KEY, title text); INSERT INTO todos SELECT n, 'todo ' || n FROM generate_series(1, 50) n",
  );
  const settings = { 'heartbeat.interval.ms': '300' };
  workers = [await startWorker({ group, settings }), await startWorker({ group, settings })];
  await Promise.all(workers.map((worker) => worker.ready()));
  const [worker] = workers as [StartedWorker];
  const config = database.sourceConfig({ 'table.include.list': 'public.todos' });
  await worker.register({ name: NAME, config });
  const status = await worker.running(NAME);
  other = workers.find(({ url }) => new URL(url).host !== status.tasks[0]?.worker_id) as StartedWorker;
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await database?.drop();
});

async function detailsWhen(
  what: string,
  test: (details: ConnectorDetails) => boolean,
  name = NAME,
): Promise<ConnectorDetails> {
  return await waitFor(what, async () => {
    const details = (await other.request('GET', `/ui/api/connectors/${name}`)).json as ConnectorDetails;
    return test(details) && details;
  });
}

test('the snapshot of each table, and the slot', async () => {
  const valueIn = (details: ConnectorDetails, name: string) =>
    details.panels.find(({ title }) => title === 'Replication slot')?.facts.find(({ title }) => title === name)?.figure
      .value;
  const isOver = ({ panels }: ConnectorDetails) => panels[0]?.state?.join('') === 'completed';
  const details = await detailsWhen(
    'the end of the snapshot',
    (found) => isOver(found) && valueIn(found, 'In use') === 1,
  );
  expect(details.panels.map(({ title }) => title)).toEqual(['Snapshot', 'Replication slot']);
  expect(details.panels[0]?.progress).toEqual({
    noun: ['row', 'rows'],
    isActive: false,
    rows: [{ name: 'public.todos', percent: 100, count: 50 }],
  });
  expect([valueIn(details, 'Name'), valueIn(details, 'WAL status')]).toEqual([database.slot, 'reserved']);
  expect(valueIn(details, 'Confirmed LSN')).toBeGreaterThan(0);
  expect(valueIn(details, 'Retained WAL')).toBeGreaterThanOrEqual(0);
  expect(details.effects.delete).toContain('replication slot');
});

test('the last hour: its rate, its lag, and the WAL that its slot retains, recorded by the other worker', async () => {
  const history = await waitFor('the first samples', async () => {
    const found = (await other.request('GET', `/ui/api/connectors/${NAME}/history`)).json as ConnectorHistory;
    return found.figures.length > 0 && found.measures.lagBytes.some((value) => value !== null) && found;
  });
  expect(history.measures.rate.some((value) => value !== null)).toBe(true);
  expect(history.figures.map(({ panel, title, unit }) => [panel, title, unit])).toContainEqual([
    'Replication slot',
    'Retained WAL',
    'bytes',
  ]);
  expect(history.missing).toEqual([]);
});

test('its lag in bytes and in seconds, and the thread of its task', async () => {
  const { row, topics, lastRestart } = await detailsWhen('its lag', ({ row: { lag } }) => lag.bytes !== null);
  expect(row.lag).toEqual({ records: null, bytes: expect.any(Number), seconds: expect.any(Number) });
  expect(row.tasks[0]?.thread).toBeGreaterThan(0);
  expect(topics).toEqual([`${database.name}.public.todos`]);
  expect(lastRestart).toBeNull();
});

test('the password is hidden, also while a change is validated with it', async () => {
  const answer = await other.request('PUT', `/ui/api/connectors/${NAME}/config/validate`, {
    'poll.interval.ms': 'soon',
  });
  expect(answer.status).toBe(200);
  const { configs } = answer.json as Validation;
  const valueOf = (key: string) => configs.find(({ value }) => value?.name === key)?.value;
  expect(valueOf('database.password')).toMatchObject({ value: '[hidden]', errors: [] });
  expect(valueOf('poll.interval.ms')?.errors).toHaveLength(1);
  const details = await detailsWhen('the connector', ({ row }) => row.summary === 'running');
  expect(details.config['database.password']).toBe('[hidden]');
});

test('a task that fails says why and since when; its restart has a cause', async () => {
  const name = 'unwritable';
  const began = Date.now();
  const config = { topics: uniqueName('topic'), file: '/no/such/folder/out.txt', 'errors.restart.max': '0' };
  await other.register({ name, config: { 'connector.class': 'FileStreamSink', ...config } });
  const { failures, row } = await detailsWhen('its failure', (details) => details.failures.length > 0, name);
  expect(row.summary).toBe('failed');
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatchObject({
    task: 0,
    code: expect.stringMatching(/^[A-Z_]+$/),
    hint: expect.any(String),
    trace: expect.stringContaining('/no/such/folder/out.txt'),
  });
  expect(failures[0]?.sentence).not.toMatch(/^[\w.]+Exception/);
  // Clocks of broker and worker are this machine's.
  expect(failures[0]?.at).toBeGreaterThan(began - 60_000);
  const { connectors } = (await other.request('GET', '/ui/api/overview')).json as Overview;
  expect(connectors.find((one) => one.name === name)?.failure).toEqual({ ...failures[0], trace: '' });
  await other.request('POST', `/connectors/${name}/restart?includeTasks=true&onlyFailed=false`);
  const { lastRestart } = await detailsWhen('the restart', (details) => details.lastRestart !== null, name);
  expect(lastRestart).toMatchObject({ kind: 'restarted', subject: name, cause: { by: 'user', user: null } });
});
