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

/** Lines of a file, and what a consumer of committed records sees of them. */
class Lines {
  readonly file = join(folder, 'lines.txt');
  private count = 0;
  private readonly partition: { topic: string; partition: number };

  constructor(readonly topic: string) {
    this.partition = { topic, partition: 0 };
  }

  write(count: number): void {
    appendFileSync(this.file, Array.from({ length: count }, () => `line ${this.count++}\n`).join(''));
  }

  /** More lines are committed than were written when this was called. */
  async progress(): Promise<void> {
    const from = (await this.committed()) + this.count / 10;
    await waitFor('more lines', async () => (await this.committed()) > from, { detail: logs, timeoutMs: 90_000 });
  }

  async expectEachOnce(): Promise<void> {
    const expected = Array.from({ length: this.count }, (_, n) => `line ${n}`);
    const consumer = await clients.assigned({ 'isolation.level': 'read_committed' });
    consumer.assign([this.partition]);
    const seen: string[] = [];
    await waitFor(
      'the last line',
      async () => {
        seen.push(...valuesOf(await readToEnd(consumer, this.partition, await this.committed())));
        return seen.length >= this.count;
      },
      { detail: () => `${seen.length} of ${this.count}\n${logs()}` },
    );
    expect(seen).toEqual(expected);
  }

  private async committed(): Promise<number> {
    return (await clients.admin.listOffsets([this.partition], 'latest', 'read_committed'))[0]?.offset ?? 0;
  }
}

const config = ({ topic, file }: Lines): Record<string, string> => ({
  'connector.class': 'org.apache.kafka.connect.file.FileStreamSourceConnector',
  'exactly.once.support': 'required',
  'transaction.boundary': 'interval',
  'transaction.boundary.interval.ms': '500',
  'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
  topic,
  file,
});

test('connect-runtime 80, 81: each line once across SIGKILL and SIGSTOP', async () => {
  const group = uniqueName('exactly');
  const lines = new Lines(await clients.topic());
  lines.write(10);
  await start(group);
  const second = await start(group);
  await second.register({ name: group, config: config(lines) });
  const owner = async (): Promise<StartedWorker> => {
    const { tasks } = await (workers[0] as StartedWorker).running(group);
    return workers.find(({ url }) => url.endsWith(String(tasks[0]?.worker_id))) as StartedWorker;
  };
  writing = setInterval(() => lines.write(20), 10);
  await lines.progress();

  const killed = await owner();
  await killed.crash();
  workers = workers.filter((worker) => worker !== killed);
  await lines.progress();
  await start(group);

  const asleep = await owner();
  const other = workers.find((worker) => worker !== asleep) as StartedWorker;
  process.kill(asleep.pid, 'SIGSTOP');
  const { host } = new URL(other.url);
  await other.statusWhen(group, ({ tasks }) => tasks[0]?.state === 'RUNNING' && tasks[0].worker_id === host);
  await lines.progress();
  process.kill(asleep.pid, 'SIGCONT');
  const joined = asleep.process.log().split('Joined the group').length;
  await waitFor('it to be a member again', () => asleep.process.log().split('Joined the group').length > joined, {
    detail: logs,
  });
  await lines.progress();
  clearInterval(writing);
  await other.running(group);
  await lines.expectEachOnce();
});

test('connect-runtime 81: a task that an outdated start or round has fenced runs again, each line once', async () => {
  const group = uniqueName('fenced');
  const lines = new Lines(await clients.topic());
  lines.write(10);
  const worker = await start(group);
  await worker.register({ name: group, config: { ...config(lines), 'errors.restart.backoff.ms': '100' } });
  writing = setInterval(() => lines.write(20), 10);
  for (let round = 0; round < 3; round++) {
    await lines.progress();
    const fenced = worker.process.log().split('TRANSACTIONAL_ID_FENCED').length;
    await clients.admin.fenceProducers([`${group}-${group}-0`]);
    await waitFor('the failure', () => worker.process.log().split('TRANSACTIONAL_ID_FENCED').length > fenced, {
      detail: logs,
    });
  }
  await lines.progress();
  clearInterval(writing);
  await lines.expectEachOnce();
});
