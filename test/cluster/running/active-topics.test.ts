/** Recording, listing and reset of the topics that tasks use. Source: connect-runtime §3.11. */
import { createWorker, states, type TestWorker } from '../herder-fixtures';
import { waitFor } from '../../helpers/wait-for';
import { MemoryKafka } from '../memory-kafka';

const STATUS = 'g-status';
const config = { name: 'c', 'connector.class': 'org.example.TickConnector', 'tasks.max': '2' };
const id = { connector: 'c', task: 1 };

let kafka: MemoryKafka;
let workers: TestWorker[];
beforeEach(() => {
  kafka = new MemoryKafka();
  workers = [];
});
afterEach(async () => {
  for (const worker of workers) await worker.herder.stop();
});

async function start(settings: Parameters<typeof createWorker>[2] = {}): Promise<TestWorker> {
  const worker = createWorker(kafka, 'g', settings);
  workers.push(worker);
  await worker.herder.start();
  return worker;
}
async function running(worker: TestWorker): Promise<void> {
  await worker.herder.writes.createConnector('c', config, null);
  await waitFor('c to run', () => states(worker.herder, 'c') === 'RUNNING RUNNING,RUNNING', { everyMs: 5 });
}
const records = (): string[] => kafka.texts(STATUS).filter((text) => text.startsWith('status-topic-'));
const until = async (what: string, probe: () => boolean): Promise<void> => {
  await waitFor(what, probe, { everyMs: 5 });
};

test('connect-rest 99: recorded once, removed by a reset, recorded again on use', async () => {
  const worker = await start();
  const { herder, host } = worker;
  await running(worker);
  host.listener.onTopicActive(id, 't');
  await until('the topic', () => herder.topics.list('c').length === 1);
  expect(herder.topics.list('c')).toEqual(['t']);
  expect(records()).toEqual([
    expect.stringMatching(
      /^status-topic-t:connector-c=\{"topic":\{"name":"t","connector":"c","task":1,"discoverTimestamp":\d{13}\}\}$/,
    ),
  ]);
  host.listener.onTopicActive({ connector: 'c', task: 0 }, 't');
  herder.topics.reset('c');
  await until('no topic', () => herder.topics.list('c').length === 0);
  expect(records().slice(1)).toEqual(['status-topic-t:connector-c=∅']);
  expect(host.log.slice(-2)).toEqual(['forget t c-0', 'forget t c-1']);
  host.listener.onTopicActive(id, 't');
  await until('the topic again', () => herder.topics.list('c').length === 1);
});

test('connect-runtime 65: topics of a deleted connector are removed', async () => {
  const worker = await start();
  await running(worker);
  worker.host.listener.onTopicActive(id, 't');
  await until('the topic', () => worker.herder.topics.list('c').length === 1);
  await worker.herder.writes.deleteConnector('c');
  await until('no topic', () => worker.herder.topics.list('c').length === 0);
  expect(records().at(-1)).toBe('status-topic-t:connector-c=∅');
});

test('connect-rest 101: tracking disabled', async () => {
  const { herder, host } = await start({ config: { topicTrackingEnable: false } });
  const refused = { status: 403, message: 'Topic tracking is disabled.' };
  expect(() => herder.topics.list('c')).toThrow(expect.objectContaining(refused));
  expect(() => herder.topics.reset('c')).toThrow(expect.objectContaining(refused));
  host.listener.onTopicActive(id, 't');
  expect(records()).toEqual([]);
});

test('connect-rest 101: reset disabled', async () => {
  const { herder, host } = await start({ config: { topicTrackingAllowReset: false } });
  host.listener.onTopicActive(id, 't');
  await until('the topic', () => herder.topics.list('c').length === 1);
  expect(() => herder.topics.reset('c')).toThrow(
    expect.objectContaining({ status: 403, message: 'Topic tracking reset is disabled.' }),
  );
  expect(herder.topics.list('c')).toEqual(['t']);
});
