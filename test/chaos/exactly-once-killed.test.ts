/**
 * The worker of an exactly-once source is killed, and later suspended for longer than its session, while a transaction
 * is open. A consumer of committed records sees each line of the file once, in order.
 */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { Clients, readToEnd, valuesOf } from '../helpers/kafka-clients';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

let clients: Clients;
let folder: string;
let workers: StartedWorker[];
let writing: NodeJS.Timeout | undefined;
const logs = (): string => workers.map(({ process }) => process.log().slice(-4000)).join('\n===\n');

beforeEach(() => {
  workers = [];
  clients = new Clients();
  folder = mkdtempSync(join(tmpdir(), 'millrace-exactly-once-'));
});
afterEach(async () => {
  clearInterval(writing);
  for (const worker of workers) process.kill(worker.pid, 'SIGCONT');
  await Promise.all(workers.map((worker) => worker.stop()));
  await clients.close();
  rmSync(folder, { recursive: true });
});

async function start(group: string): Promise<StartedWorker> {
  const worker = await startWorker({
    group,
    settings: {
      'exactly.once.source.support': 'enabled',
      'session.timeout.ms': '6000',
      'heartbeat.interval.ms': '1000',
      'scheduled.rebalance.max.delay.ms': '0',
      'offset.storage.partitions': '1',
    },
  });
  workers.push(worker);
  await worker.ready();
  return worker;
}

test('connect-runtime 80, 81: each line once across SIGKILL and SIGSTOP', async () => {
  const group = uniqueName('exactly');
  const topic = await clients.topic();
  const file = join(folder, 'lines.txt');
  const text = 'org.apache.kafka.connect.storage.StringConverter';
  let lines = 0;
  const write = (count: number): void =>
    appendFileSync(file, Array.from({ length: count }, () => `line ${lines++}\n`).join(''));
  const partition = { topic, partition: 0 };
  const committed = async (): Promise<number> =>
    (await clients.admin.listOffsets([partition], 'latest', 'read_committed'))[0]?.offset ?? 0;
  /** More lines are committed than were written when this was called. */
  const progress = async (): Promise<void> => {
    const from = (await committed()) + lines / 10;
    await waitFor('more lines', async () => (await committed()) > from, { detail: logs, timeoutMs: 90_000 });
  };
  write(10);
  await start(group);
  const second = await start(group);
  const config = {
    'connector.class': 'org.apache.kafka.connect.file.FileStreamSourceConnector',
    'exactly.once.support': 'required',
    'transaction.boundary': 'interval',
    'transaction.boundary.interval.ms': '500',
    'value.converter': text,
    topic,
    file,
  };
  await second.register({ name: group, config });
  const owner = async (): Promise<StartedWorker> => {
    const { tasks } = await (workers[0] as StartedWorker).running(group);
    return workers.find(({ url }) => url.endsWith(String(tasks[0]?.worker_id))) as StartedWorker;
  };
  writing = setInterval(() => write(20), 10);
  await progress();

  const killed = await owner();
  await killed.crash();
  workers = workers.filter((worker) => worker !== killed);
  await progress();
  await start(group);

  const asleep = await owner();
  const other = workers.find((worker) => worker !== asleep) as StartedWorker;
  process.kill(asleep.pid, 'SIGSTOP');
  const { host } = new URL(other.url);
  await other.statusWhen(group, ({ tasks }) => tasks[0]?.state === 'RUNNING' && tasks[0].worker_id === host);
  await progress();
  process.kill(asleep.pid, 'SIGCONT');
  const joined = asleep.process.log().split('Joined generation').length;
  await waitFor('it to be a member again', () => asleep.process.log().split('Joined generation').length > joined, {
    detail: logs,
  });
  await progress();
  clearInterval(writing);

  await other.running(group);
  const expected = Array.from({ length: lines }, (_, n) => `line ${n}`);
  const consumer = await clients.assigned({ 'isolation.level': 'read_committed' });
  consumer.assign([partition]);
  const seen: string[] = [];
  await waitFor(
    'the last line',
    async () => {
      seen.push(...valuesOf(await readToEnd(consumer, partition, await committed())));
      return seen.length >= lines;
    },
    { detail: () => `${seen.length} of ${lines}\n${logs()}` },
  );
  expect(seen).toEqual(expected);
}, 300_000);
