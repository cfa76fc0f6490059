/**
 * Kafka becomes unreachable during a request to the leader, for longer than its session. The client need not repeat the
 * request.
 */
import { startBroker } from '../../dev/services/broker';
import type { RunningKafka } from '../../dev/services/kafka';
import { startWorker, type Answer, type StartedWorker } from '../../dev/services/worker';
import { fileSinkConfig } from '../helpers/file-sink-config';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

let broker: RunningKafka;
let worker: StartedWorker;
const log = (): string => worker.process.log().slice(-6000);

beforeAll(async () => {
  // A restarted Kafka waits until the session of its predecessor expires.
  broker = await startBroker({
    settings: { 'broker.session.timeout.ms': '3000', 'broker.heartbeat.interval.ms': '500' },
  });
  worker = await startWorker({
    bootstrapServers: broker.bootstrapServers,
    group: uniqueName('without-kafka'),
    settings: {
      'session.timeout.ms': '6000',
      'heartbeat.interval.ms': '1000',
      'scheduled.rebalance.max.delay.ms': '0',
      'consumer.session.timeout.ms': '6000',
    },
  });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  await broker?.stop();
});

/** The answer to a request while Kafka is unreachable and the membership is not yet lost. */
async function withoutKafka(ask: () => Promise<Answer>): Promise<Answer> {
  const losses = (): number => worker.process.log().split('The worker lost its group membership').length;
  const before = losses();
  await broker.crash();
  const asked = ask();
  await waitFor('the membership to be lost', () => losses() > before, { detail: log });
  await broker.restart();
  return await asked;
}

test('connect-runtime 110: a connector is created once, and stopped', async () => {
  const document = { name: 'lines', config: fileSinkConfig(uniqueName('lines'), `${worker.folder}/out`) };
  const created = await withoutKafka(async () => await worker.request('POST', '/connectors', document));
  expect({ status: created.status, body: created.body }).toMatchObject({ status: 201 });
  await worker.running('lines');

  const stopped = await withoutKafka(async () => await worker.request('PUT', '/connectors/lines/stop'));
  expect({ status: stopped.status, body: stopped.body }).toEqual({ status: 204, body: '' });
  await worker.statusWhen('lines', ({ connector, tasks }) => connector.state === 'STOPPED' && tasks.length === 0);
});
