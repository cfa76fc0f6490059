/** A dedicated broker is frozen, or killed and restarted with its files, while records pass through it. */
import { startBroker } from '../../../../dev/services/broker';
import type { RunningKafka } from '../../../../dev/services/kafka';
import { Clients } from '../../../helpers/kafka-clients';
import { CountedRun, IMPATIENT } from '../../../helpers/counted-run';

/** More than the session timeout of the group's members. */
const FROZEN_MS = 8_000;

let broker: RunningKafka;
let clients: Clients;

beforeAll(async () => {
  broker = await startBroker({
    // A restarted Kafka waits until the session of its predecessor expires; the frozen one loses its own, and
    // with it the leadership.
    settings: { 'broker.session.timeout.ms': '3000', 'broker.heartbeat.interval.ms': '500' },
  });
  clients = new Clients({ ...IMPATIENT, 'bootstrap.servers': broker.bootstrapServers });
});
afterEach(() => clients.closeClients());
afterAll(async () => {
  if (broker?.pid !== undefined) process.kill(broker.pid, 'SIGCONT');
  await clients?.close();
  await broker?.stop();
});

describe.each([
  ['an idempotent producer', false],
  ['a transactional producer', true],
])('kafka-client 3: 0 lost, 0 duplicated, 0 reordered, %s', (_, transactions) => {
  test('a broker that freezes for longer than a session', async () => {
    const run = await CountedRun.start(clients, { transactions });
    process.kill(broker.pid as number, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, FROZEN_MS));
    process.kill(broker.pid as number, 'SIGCONT');
    await run.passes(500);
    await run.finish();
  }, 600_000);

  test('a broker that is killed and started again', async () => {
    const run = await CountedRun.start(clients, { transactions });
    await broker.crash();
    await broker.restart();
    await run.passes(500);
    await run.finish();
  }, 600_000);
});
