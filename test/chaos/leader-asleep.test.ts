/**
 * The leader is suspended between its decision what to write to the config topic and the write, and resumed when
 * another leader has long written something newer. Its own record is outdated then, and the client must get an error
 * that it was not written.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { Clients, readToEnd } from '../helpers/kafka-clients';
import { leaderOf } from '../helpers/leader';
import { proxyTo, type TcpProxy } from '../helpers/tcp-proxy';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

const NAME = 'c';
let group: string;
let folder: string;
let clients: Clients;
let proxy: TcpProxy;
let workers: StartedWorker[];
const logs = (): string => workers.map(({ process }) => process.log().slice(-4000)).join('\n===\n');

async function started(
  support: string,
  options: Pick<Parameters<typeof startWorker>[0], 'nodeFlags' | 'env'> = {},
): Promise<void> {
  const worker = await startWorker({
    group,
    settings: {
      'plugin.path': join(__dirname, '..', 'integration', 'cluster', 'fixtures', 'plugins'),
      'session.timeout.ms': '6000',
      'heartbeat.interval.ms': '1000',
      'scheduled.rebalance.max.delay.ms': '0',
      // Without signatures, so that this test can send task configs as a worker does.
      'connect.protocol': 'compatible',
      'exactly.once.source.support': support,
    },
    ...options,
  });
  workers.push(worker);
  await worker.ready();
}

beforeEach(async () => {
  group = uniqueName('leader-asleep');
  folder = mkdtempSync(join(tmpdir(), 'millrace-leader-asleep-'));
  clients = new Clients();
  workers = [];
  const target = process.env.BOOTSTRAP_SERVERS as string;
  proxy = await proxyTo(target);
});

async function startTwo(support: string): Promise<void> {
  const target = process.env.BOOTSTRAP_SERVERS as string;
  await started(support, {
    nodeFlags: ['--require', join(__dirname, 'fixtures', 'through-proxy.cjs')],
    env: { THROUGH_PROXY: `${target.slice(target.lastIndexOf(':') + 1)}:${proxy.port}` },
  });
  await started(support);
}

afterEach(async () => {
  proxy.flow();
  for (const { pid } of workers) process.kill(pid, 'SIGCONT');
  await Promise.all(workers.map(async (worker) => await worker.stop()));
  await clients.close();
  await proxy.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The fixture writes `secret` to the journal with each start of its task. */
const config = (secret: string): Record<string, string> => ({
  'connector.class': 'test.UnrulySourceConnector',
  journal: join(folder, 'journal'),
  secret,
});
const lastStarted = (): string | undefined =>
  readFileSync(join(folder, 'journal'), 'utf8').trimEnd().split('\n').at(-1);

/** `key=value` of every record in the config topic. */
async function configRecords(): Promise<string[]> {
  const partition = { topic: `${group}-configs`, partition: 0 };
  const [end] = await clients.admin.listOffsets([partition], 'latest');
  const consumer = await clients.assigned();
  consumer.assign([partition]);
  const batches = await readToEnd(consumer, partition, end?.offset ?? 0);
  return batches.flatMap(({ records }) => records).map(({ key, value }) => `${String(key)}=${String(value)}`);
}

const OUTDATED = [{ 'task.class': 'test.UnrulySourceTask', secret: 'outdated' }];

test.each([
  ['the end of a connector', 'disabled', 'PUT', '/stop', undefined],
  ['task configurations', 'disabled', 'POST', '/tasks', OUTDATED],
  ['task configurations in a transaction (connect-runtime 88)', 'enabled', 'POST', '/tasks', OUTDATED],
])(
  'a leader that was suspended before it wrote %s does not overwrite its successor’s writes',
  async (_, support, method, path, body) => {
    await startTwo(support);
    const [sleeper, other] = workers as [StartedWorker, StartedWorker];
    expect(await leaderOf(workers)).toBe(sleeper);
    await sleeper.register({ name: NAME, config: config('old') });
    await sleeper.running(NAME);

    // The leader has started the request, and first reads the config topic to its end.
    proxy.stall();
    const asked = sleeper.request(method, `/connectors/${NAME}${path}`, body);
    for (let i = 0; i < 3; i++) await sleeper.request('GET', '/');
    process.kill(sleeper.pid, 'SIGSTOP');
    proxy.flow();

    await leaderOf([other]);
    const put = await other.request('PUT', `/connectors/${NAME}/config`, config('new'));
    expect({ status: put.status, body: put.body }).toMatchObject({ status: 200 });
    await waitFor('the task to start with the new configuration', () => lastStarted() === 'new', { detail: logs });
    await other.running(NAME);
    const before = await configRecords();

    const joins = (): number => sleeper.process.log().split('Joined the group').length;
    const joined = joins();
    process.kill(sleeper.pid, 'SIGCONT');
    const answer = await asked;
    await waitFor('the sleeper to be a member again', () => joins() > joined, { detail: logs });
    expect({
      answer: [answer.status, answer.body],
      late: (await configRecords()).slice(before.length),
    }).toEqual({
      answer: [
        409,
        '{"error_code":409,"message":"Cannot complete request because of a conflicting operation (e.g. worker rebalance)"}',
      ],
      late: [],
    });
    await sleeper.running(NAME);
    expect(lastStarted()).toBe('new');
  },
);
