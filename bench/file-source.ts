/**
 * How fast a worker sends a file of 200 B lines to a topic.
 * `npm run bench -- file-source [LINES]` (Default: 1,000,000)
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runKafkaTool, useOrStartKafka } from '../dev/services/kafka';
import { waitFor } from '../dev/services/wait-for';
import { startWorker } from '../dev/services/worker';
import { createAdmin } from '../packages/kafka-client/src/admin/admin';
import { createWire } from '../packages/kafka-client/src/network/network-client';
import { benchmark, figure, heading, whole } from './lib/report';
import { measure } from './lib/usage';

const LINES = Number(process.argv[2] ?? 1_000_000);
const BYTES = 200;

benchmark(async (atEnd) => {
  const kafka = await useOrStartKafka({ heap: '-Xmx1g -Xms1g' });
  atEnd(kafka.stop);
  heading(`file → Kafka, ${whole(LINES)} lines of ${BYTES} B`);
  const run = `bench-${randomBytes(3).toString('hex')}`;
  const where = ['--bootstrap-server', kafka.bootstrapServers];
  const create = ['--create', '--topic', run, '--partitions', '1'];
  await runKafkaTool('org.apache.kafka.tools.TopicCommand', [...where, ...create]);

  const worker = await startWorker({
    bootstrapServers: kafka.bootstrapServers,
    group: `${run}-worker`,
  });
  atEnd(() => worker.stop());
  await worker.ready();
  const file = join(worker.folder, 'source.txt');
  const line = `${randomBytes(BYTES / 2 - 1).toString('hex')}x\n`;
  writeFileSync(file, line.repeat(LINES));

  const usage = measure(worker.pid);
  const began = performance.now();
  await worker.register({
    name: 'bench',
    config: {
      'connector.class': 'org.apache.kafka.connect.file.FileStreamSourceConnector',
      topic: run,
      file,
      'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
      'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
    },
  });
  const admin = createAdmin(createWire({ 'bootstrap.servers': kafka.bootstrapServers }), {
    timeoutMs: 30_000,
    retryBackoffMs: 50,
    retryBackoffMaxMs: 500,
  });
  atEnd(() => admin.close());
  let arrived: number | undefined = 0;
  await waitFor(
    'all lines to be in the topic',
    async () => {
      arrived = (await admin.listOffsets([{ topic: run, partition: 0 }], 'latest'))[0]?.offset;
      return arrived === LINES;
    },
    { timeoutMs: 900_000, everyMs: 20, detail: () => `${arrived}\n${worker.process.log().slice(-4000)}` },
  );
  const seconds = (performance.now() - began) / 1000;
  const used = usage.end();
  figure('from registration to the last line', `${seconds.toFixed(1)} s`);
  figure('lines', `${whole(LINES / seconds)} /s`);
  figure('CPU', `${used.cpu.toFixed(1)} s`);
  figure('CPU per million lines', `${((used.cpu / LINES) * 1e6).toFixed(1)} s`);
  figure('peak RSS', `${whole(used.peak)} MiB`);
});
