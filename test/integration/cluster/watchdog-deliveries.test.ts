/** A source whose records Kafka does not acknowledge: shown as stuck, and not restarted, which would not help. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useEmbeddedBroker } from '@millrace/embedded';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { parsePrometheus } from '../../helpers/prometheus';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const broker = useEmbeddedBroker();
const folder = mkdtempSync(join(tmpdir(), 'millrace-deliveries-'));
let worker: StartedWorker | undefined;
afterAll(async () => {
  await worker?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a delivery without an acknowledgement is in /health and /metrics until it arrives; no restart', async () => {
  worker = await startWorker({
    bootstrapServers: broker.bootstrapServers,
    group: uniqueName('deliveries'),
    settings: { 'watchdog.task.ms': '1500', 'watchdog.task.action': 'restart' },
  });
  const { request, status } = worker;
  await worker.ready();
  const file = join(folder, 'lines.txt');
  writeFileSync(file, 'a\nb\nc\n');
  const resume = broker.faults.pausePartition('lines', 0);
  await worker.register({
    name: 'lines',
    config: {
      'connector.class': 'org.apache.kafka.connect.file.FileStreamSourceConnector',
      topic: 'lines',
      file,
    },
  });
  const samples = async (name: string) =>
    parsePrometheus((await request('GET', '/metrics')).body).get(`millrace_task_${name}`)?.samples;
  await waitFor(
    'the delivery to be shown',
    async () => (await samples('stuck_seconds'))?.[0]?.labels.call === 'delivery',
  );
  expect((await request('GET', '/health')).json).toEqual({
    status: 'healthy',
    message: expect.stringMatching(
      /requests\. Task lines-0: the delivery of its records \(3\) has not been acknowledged by Kafka for \d+ s\.$/,
    ) as string,
  });
  resume();
  await waitFor('the acknowledgement', async () => (await samples('stuck_seconds'))?.[0]?.value === 0);
  expect((await samples('watchdog_restarts_total'))?.map(({ value }) => value)).toEqual([0]);
  expect((await status('lines')).tasks.map(({ state }) => state)).toEqual(['RUNNING']);
});
