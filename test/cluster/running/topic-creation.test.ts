/** Where an invalid `topic.creation.*` setting is reported: on the connector, as in Java. */
import { MemoryLogger } from '@millrace/sdk/testing';
import type { WorkerConfig } from '../../../src/config/worker-config';
import type { Logger } from '../../../src/logging/logger';
import { waitFor } from '../../helpers/wait-for';
import { createWorker, states, type TestWorker } from '../herder-fixtures';
import { MemoryKafka } from '../memory-kafka';

let worker: TestWorker;
let log: MemoryLogger;
afterEach(async () => await worker.herder.stop());

async function created(more: Record<string, string>, config: Partial<WorkerConfig>, expected: string): Promise<void> {
  log = new MemoryLogger();
  const logger: Logger = Object.assign(log, { child: () => logger });
  worker = createWorker(new MemoryKafka(), 'g', { config, logger });
  await worker.herder.start();
  const source = { name: 'c', 'connector.class': 'org.example.TickConnector', 'tasks.max': '1', ...more };
  await worker.herder.writes.createConnector('c', source, null);
  await waitFor(`c to be ${expected}`, () => states(worker.herder, 'c') === expected, { everyMs: 5 });
}
const WRONG = { 'topic.creation.default.partitions': '0', 'topic.creation.default.replication.factor': '1' };

test('connect-runtime 76: a wrong setting fails the connector, which then has no tasks', async () => {
  await created(WRONG, { topicCreationEnable: true }, 'FAILED');
  expect(worker.herder.reads.connectorStatus('c').connector.trace).toMatch(
    /^org\.apache\.kafka\.common\.config\.ConfigException: Invalid value 0 for configuration topic\.creation\.default\.partitions: Number of partitions must be positive/,
  );
});

test('connect-runtime 76: it is ignored when topic.creation.enable=false', async () => {
  await created(WRONG, { topicCreationEnable: false }, 'RUNNING RUNNING');
});

test('connect-runtime 76: "default" among the groups is allowed, with a warning', async () => {
  const right = { ...WRONG, 'topic.creation.default.partitions': '1', 'topic.creation.groups': 'default' };
  await created(right, { topicCreationEnable: true }, 'RUNNING RUNNING');
  expect(log.lines).toContainEqual(expect.stringContaining('warn topic.creation.groups need not list "default"'));
});
