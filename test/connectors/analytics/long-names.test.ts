/** Names that are too long for a file name. */
import { nameOnDisk } from '../../../connectors/analytics/src/batcher/file-names';
import { serveCluster, serveStorage } from './small-service';
import { SmallSink } from './small-sink';

const sink = SmallSink.forFile();
const topic = 'long-'.padEnd(249, 'x');

test('a topic and a connector with names of maximum length deliver their records', async () => {
  const storage = await serveStorage();
  sink.atEnd(storage.stop);
  const cluster = await serveCluster(() => storage.url);
  sink.atEnd(cluster.stop);
  const harness = await sink.start(cluster.url, {
    name: 'n'.repeat(255),
    topics: topic,
    'errors.retry.max.time.ms': '0',
  });
  await harness.put([{ value: 'x'.repeat(100) }]);
  await sink.committed(harness, 1);
  expect(storage.blobs).toEqual([
    expect.stringMatching(new RegExp(`/d__T__[0-9a-f-]{36}__kafka_${topic}_0_0-0\\.csv\\.gz$`)),
  ]);
});

test('two long topics that differ only at their ends have separate files', () => {
  const names = ['a', 'b'].map((end) =>
    nameOnDisk(topic.slice(1) + end, 12, '0-9223372036854775807.apacheavro.gz.part'),
  );
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(Buffer.byteLength(name)).toBeLessThan(255);
  expect(nameOnDisk('short', 0, '5.records')).toBe('kafka_short_0_5.records');
});
