/** The leader logs what validation warns of when it writes a config, and only then. */
import { createWorker, type TestWorker } from '../herder-fixtures';
import { MemoryKafka } from '../memory-kafka';
import { silentLogger, type Logger } from '../../../src/logging/logger';

const config = { name: 'c', 'connector.class': 'org.example.TickConnector' };
let lines: string[];
let worker: TestWorker;
beforeEach(async () => {
  lines = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (message) => void (message.startsWith('Config of connector') && lines.push(message)),
    child: () => logger,
  };
  worker = createWorker(new MemoryKafka(), 'g', { logger });
  await worker.herder.start();
});
afterEach(async () => await worker.herder.stop());

test('created, replaced and patched', async () => {
  const { writes } = worker.herder;
  await writes.createConnector('c', { ...config, warnings: '1' }, 'STOPPED');
  expect(lines.splice(0)).toEqual(['Config of connector c: warning 0']);
  await writes.putConnectorConfig('c', { ...config, warnings: '2' });
  expect(lines.splice(0)).toEqual(['Config of connector c: warning 0', 'Config of connector c: warning 1']);
  await writes.patchConnectorConfig('c', { warnings: null });
  expect(lines.splice(0)).toEqual([]);
  await writes.patchConnectorConfig('c', { warnings: '1' });
  expect(lines).toHaveLength(1);
});

test('not of a config that is not written', async () => {
  const { writes } = worker.herder;
  await writes.createConnector('c', config, 'STOPPED');
  await expect(writes.createConnector('c', { ...config, warnings: '1' }, null)).rejects.toMatchObject({ status: 409 });
  await expect(writes.putConnectorConfig('c', { ...config, warnings: '1', fault: 'x' })).rejects.toMatchObject({
    status: 400,
  });
  expect(lines).toEqual([]);
});

test('ten lines at most, and one with how many there are more', async () => {
  await worker.herder.writes.createConnector('c', { ...config, warnings: '12' }, 'STOPPED');
  expect(lines).toHaveLength(11);
  expect(lines[10]).toBe('Config of connector c: 2 more warnings, which its validation returns');
});
