/**
 * Latency while the embedded broker compacts a topic of 200 MB: event loop delay and produce requests of a client. `npm
 * run bench -- embedded-compaction`
 */
import { mkdtemp, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { remove } from 'fs-extra';
import { Kafka, logLevel } from 'kafkajs';
import { benchmark, figure, heading, whole } from './lib/report';
import { startEmbedded } from './lib/embedded-process';
import { residentMegabytes } from './lib/usage';

const BYTES = 200e6;
const VALUE = Buffer.alloc(1_000, 'x');
const KEYS = 20_000;
const PER_SEND = 500;

benchmark(async (atEnd) => {
  heading(`Compaction of ${whole(BYTES / 1e6)} MB in the embedded broker, ${whole(KEYS)} keys`);
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-compaction-'));
  atEnd(() => remove(folder));
  const broker = await startEmbedded({ dataDir: folder, housekeepingMs: 1_000 });
  atEnd(broker.stop);
  const kafka = new Kafka({ brokers: [broker.bootstrapServers], logLevel: logLevel.NOTHING });
  const [admin, producer] = [kafka.admin(), kafka.producer()];
  await Promise.all([admin.connect(), producer.connect()]);
  atEnd(() => Promise.all([admin.disconnect(), producer.disconnect()]));
  // Delays compaction until all records are written.
  const configEntries = Object.entries({
    'cleanup.policy': 'compact',
    'segment.bytes': '20000000',
    'min.cleanable.dirty.ratio': '0.01',
    'min.compaction.lag.ms': '3600000',
  }).map(([name, value]) => ({ name, value }));
  await admin.createTopics({ topics: [{ topic: 't', configEntries }, { topic: 'other' }] });
  for (let sent = 0; sent * VALUE.length < BYTES; sent += PER_SEND) {
    const messages = Array.from({ length: PER_SEND }, (_, i) => ({ key: `key ${(sent + i) % KEYS}`, value: VALUE }));
    await producer.send({ topic: 't', messages });
  }
  const size = async (): Promise<number> => {
    let bytes = 0;
    for (const name of await readdir(folder, { recursive: true })) {
      if (name.endsWith('.log')) bytes += (await stat(join(folder, name)).catch(() => ({ size: 0 }))).size;
    }
    return bytes;
  };
  const before = await size();

  await broker.loopDelay();
  const resources = [
    { type: 2, name: 't', configEntries: configEntries.filter(({ name }) => !name.startsWith('min.compaction')) },
  ];
  await admin.alterConfigs({ validateOnly: false, resources });
  const began = performance.now();
  const waits: number[] = [];
  while ((await size()) > before / 4 && performance.now() - began < 60_000) {
    const sent = performance.now();
    await producer.send({ topic: 'other', messages: [{ value: 'x' }] });
    waits.push(performance.now() - sent);
  }
  const seconds = (performance.now() - began) / 1000;
  const { p99, max } = await broker.loopDelay();
  waits.sort((a, b) => a - b);
  figure('bytes before and after', `${whole(before / 1e6)} → ${whole((await size()) / 1e6)} MB`);
  figure('took, with up to a second until it began', `${seconds.toFixed(1)} s`);
  figure('event loop delay, 99th percentile', `${p99.toFixed(1)} ms`);
  figure('event loop delay, longest', `${max.toFixed(1)} ms`);
  figure('a produce request meanwhile, median', `${waits[waits.length >> 1]!.toFixed(1)} ms`);
  figure('a produce request meanwhile, longest', `${waits.at(-1)!.toFixed(1)} ms`);
  figure('memory afterwards', `${whole(residentMegabytes(broker.pid))} MiB`);
});
