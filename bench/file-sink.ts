/**
 * How fast a worker appends a topic of 200 B records to a file. The topic is filled by Kafka's own performance tool.
 * `npm run bench -- file-sink [RECORDS]` (Default: 1,000,000)
 */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { runKafkaTool, useOrStartKafka } from '../dev/services/kafka';
import { waitFor } from '../dev/services/wait-for';
import { startWorker } from '../dev/services/worker';
import { benchmark, figure, heading, whole } from './lib/report';
import { measure } from './lib/usage';

const RECORDS = Number(process.argv[2] ?? 1_000_000);
const BYTES = 200;

benchmark(async (atEnd) => {
  const kafka = await useOrStartKafka({ heap: '-Xmx1g -Xms1g' });
  atEnd(kafka.stop);
  heading(`Kafka → file, ${whole(RECORDS)} records of ${BYTES} B`);
  const run = `bench-${randomBytes(3).toString('hex')}`;
  const where = ['--bootstrap-server', kafka.bootstrapServers];
  await runKafkaTool('org.apache.kafka.tools.TopicCommand', [
    ...where,
    '--create',
    '--topic',
    run,
    '--partitions',
    '1',
  ]);
  await runKafkaTool('org.apache.kafka.tools.ProducerPerformance', [
    ...[...where, '--topic', run, '--throughput', '-1'],
    ...['--num-records', String(RECORDS), '--record-size', String(BYTES)],
  ]);

  const worker = await startWorker({ bootstrapServers: kafka.bootstrapServers, group: `${run}-worker` });
  atEnd(() => worker.stop());
  await worker.ready();
  const file = join(worker.folder, 'sink.txt');
  const size = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

  const usage = measure(worker.pid);
  const began = performance.now();
  await worker.register({
    name: 'bench',
    config: {
      'connector.class': 'org.apache.kafka.connect.file.FileStreamSinkConnector',
      'tasks.max': '1',
      topics: run,
      file,
      'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
      'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
    },
  });
  let first = 0;
  await waitFor(
    'the file to be complete',
    () => {
      if (first === 0 && size() > 0) first = performance.now();
      return size() >= RECORDS * (BYTES + 1);
    },
    { timeoutMs: 900_000, everyMs: 10, detail: () => worker.process.log().slice(-4000) },
  );
  const now = performance.now();
  const used = usage.end();
  if (size() !== RECORDS * (BYTES + 1)) throw new Error(`the file has ${size()} bytes, more than the records`);
  figure('from registration to the last record', `${((now - began) / 1000).toFixed(1)} s`);
  figure('records', `${whole((RECORDS / (now - began)) * 1000)} /s`);
  figure('records, after the first arrived', `${whole((RECORDS / (now - first)) * 1000)} /s`);
  figure('CPU', `${used.cpu.toFixed(1)} s`);
  figure('CPU per million records', `${((used.cpu / RECORDS) * 1e6).toFixed(1)} s`);
  figure('peak RSS', `${whole(used.peak)} MiB`);
});
