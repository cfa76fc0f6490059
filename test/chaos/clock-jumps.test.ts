/** The leader's clock jumps by ten minutes. Nothing may wait until the clock is back. */
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { fileSinkConfig } from '../helpers/file-sink-config';
import { Clients } from '../helpers/kafka-clients';
import { leaderOf } from '../helpers/leader';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

const TEN_MINUTES = 600_000;
const DELAY_MS = 2987;
const NAME = 'lines';

let group: string;
let folder: string;
let clients: Clients;
let topic: string;
let workers: StartedWorker[];

const clock = (): string => join(folder, 'clock');
async function jumpTo(shiftMs: number): Promise<void> {
  await writeFile(`${clock()}.new`, String(shiftMs));
  // Atomically: a file that is being written is empty for a moment, and the clock would jump there and back.
  await rename(`${clock()}.new`, clock());
}
const logs = (): string => workers.map(({ process }) => process.log().slice(-4000)).join('\n===\n');

async function started(withShiftedClock = false): Promise<StartedWorker> {
  const worker = await startWorker({
    group,
    settings: {
      'session.timeout.ms': '6000',
      'heartbeat.interval.ms': '1000',
      'scheduled.rebalance.max.delay.ms': String(DELAY_MS),
      'inter.worker.key.ttl.ms': '5000',
      'offset.flush.interval.ms': '500',
      'consumer.session.timeout.ms': '6000',
    },
    ...(withShiftedClock
      ? {
          nodeFlags: ['--require', join(__dirname, 'fixtures', 'shifted-clock.cjs')],
          env: { SHIFTED_CLOCK: clock() },
        }
      : {}),
  });
  workers.push(worker);
  await worker.ready();
  return worker;
}

const config = (overrides: Record<string, string> = {}): Record<string, string> =>
  fileSinkConfig(topic, join(folder, 'out'), { 'tasks.max': '4', ...overrides });

let sent = 0;
/** A line for each partition arrives, and its offset is stored. */
async function passes(): Promise<void> {
  for (let partition = 0; partition < 4; partition++) await clients.send(topic, [`line ${sent}`], partition);
  sent++;
  const lines = async (): Promise<string[]> =>
    (await readFile(join(folder, 'out'), 'utf8').catch(() => '')).split('\n');
  await waitFor(
    `line ${sent - 1} four times`,
    async () => (await lines()).filter((line) => line === `line ${sent - 1}`).length >= 4,
    { detail: logs },
  );
  await waitFor(
    'the offsets to be stored',
    async () => {
      const stored = await clients.admin.listGroupOffsets(`connect-${NAME}`);
      return stored.length === 4 && stored.every(({ offset }) => offset === sent);
    },
    { detail: logs },
  );
}

beforeEach(async () => {
  group = uniqueName('clock');
  workers = [];
  sent = 0;
  folder = await mkdtemp(join(tmpdir(), 'millrace-clock-'));
  clients = new Clients();
  topic = await clients.topic(4);
  await jumpTo(0);
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await clients.close();
  await rm(folder, { recursive: true, force: true });
});

test.each([
  ['ahead', TEN_MINUTES],
  ['back', -TEN_MINUTES],
])('connect-runtime 112: the clock of the leader jumps %s, twice', async (_, shiftMs) => {
  const leader = await started(true);
  const follower = await started();
  expect(await leaderOf(workers)).toBe(leader);
  await follower.register({ name: NAME, config: config() });
  await follower.running(NAME, 4);
  await passes();

  await jumpTo(shiftMs);
  await passes();
  // Forwarded, and answered by the leader; the tasks are published to it with a signed request.
  const changed = await follower.request('PUT', `/connectors/${NAME}/config`, config({ 'tasks.max': '3' }));
  expect([changed.status, changed.body]).toEqual([200, expect.any(String)]);
  await follower.statusWhen(NAME, ({ tasks }) => tasks.length === 3 && tasks.every(({ state }) => state === 'RUNNING'));
  await passes();

  // A worker joins and is killed; the clock jumps again while the group waits for its return.
  const third = await started();
  const { host } = new URL(third.url);
  await follower.statusWhen(NAME, ({ tasks }) =>
    tasks.some(({ state, worker_id }) => state === 'RUNNING' && worker_id === host),
  );
  await third.crash();
  workers.pop();
  await waitFor('the wait for it to begin', () => logs().includes('unless it returns within'), {
    detail: logs,
  });
  await jumpTo(2 * shiftMs);
  await follower.statusWhen(NAME, ({ tasks }) =>
    tasks.every(({ state, worker_id }) => state === 'RUNNING' && worker_id !== host),
  );
  await passes();
});
