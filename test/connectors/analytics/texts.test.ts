/** `putTexts` ships the same files, byte by byte, as `put` of the values that StringConverter returns. */
import { gunzipSync } from 'node:zlib';
import { random } from '../../kafka/records/record-batch-samples';
import { convertedTexts, textBatch, type Text } from '../text-batch';
import { serve, serveCluster } from './small-service';
import { SmallSink } from './small-sink';

const sink = SmallSink.forFile();

const FORMATS = ['csv', 'tsve', 'txt', 'w3clogfile', 'raw', 'json'] as const;
const VALUES: readonly ((next: () => number) => Text)[] = [
  () => null,
  () => Buffer.alloc(0),
  () => Buffer.from('\r\n'),
  () => Buffer.from('\n{"a":1}'),
  (next) => Buffer.from(`{"a":${Math.floor(next() * 1e6)},"é":"😀"}`),
  (next) => Buffer.from(`{"a":"${'x'.repeat(Math.floor(next() * 300))}"}`),
  () => Buffer.from('{"a":1}\n[2]'),
  () => Buffer.from('\ufeff{"a":1}'),
  (next) => Buffer.from(Array.from({ length: Math.floor(next() * 9) }, () => Math.floor(next() * 256))),
  () => Buffer.from('not json'),
];

/** What the sink shipped: offsets in the name → content. */
async function shipped(
  config: Record<string, string>,
  deliver: (task: Awaited<ReturnType<typeof sink.start>>['task']) => Promise<void>,
): Promise<[string, string][]> {
  const files = new Map<string, string>();
  const storage = await serve((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const name = /kafka_t_[^?]*/.exec(decodeURIComponent(String(request.url)))?.[0];
      if (request.method === 'PUT' && name !== undefined)
        files.set(name, gunzipSync(Buffer.concat(parts)).toString('latin1'));
      response.writeHead(201).end();
    });
  });
  sink.atEnd(storage.stop);
  const cluster = await serveCluster(() => storage.url);
  sink.atEnd(cluster.stop);
  const harness = await sink.start(cluster.url, {
    'behavior.on.error': 'ignore',
    'analytics.max.inflight.files': '100000',
    'analytics.rebalance.flush.timeout.ms': '60000',
    ...config,
  });
  await deliver(harness.task);
  await harness.task.revoking?.([{ topic: 't', partition: 0 }]);
  return [...files].sort(([a], [b]) => (a < b ? -1 : 1));
}

test.each(FORMATS.flatMap((format) => [format, 'json unchecked' as const].slice(0, format === 'json' ? 2 : 1)))(
  'random batches: %s',
  async (name) => {
    const [format = '', unchecked] = name.split(' ');
    const next = random(7);
    const kinds = [...VALUES.slice(4, 6), ...VALUES];
    const batches = Array.from({ length: format === 'raw' ? 2 : 30 }, () =>
      Array.from({ length: 1 + Math.floor(next() * 120) }, () => {
        if (next() < 0.002) return Buffer.from(`{"a":"${'y'.repeat(150_000)}"}`);
        return next() < 0.8 ? VALUES[4]!(next) : kinds[Math.floor(next() * kinds.length)]!(next);
      }),
    );
    const config = {
      'analytics.tables.topics.mapping': `[{topic: t, db: d, table: T, format: ${format}}]`,
      'analytics.validate.json': String(unchecked === undefined),
      'flush.size.bytes': '20000',
    };
    const starts = batches.map((_, i) => batches.slice(0, i).reduce((sum, { length }) => sum + length, 0));
    const texts = await shipped(config, async (task) => {
      for (const [i, values] of batches.entries()) await task.putTexts?.([textBatch(values, 0, starts[i])]);
    });
    const general = await shipped(config, async (task) => {
      for (const [i, values] of batches.entries()) await task.put(convertedTexts(values, starts[i]));
    });
    expect(texts).toEqual(general);
    expect(general.length).toBeGreaterThan(5);
  },
);

test('without it where rows have more than the value, or records are kept for the dead letter queue', async () => {
  const storage = await serve((_, response) => response.writeHead(201).end());
  sink.atEnd(storage.stop);
  const cluster = await serveCluster(() => storage.url);
  sink.atEnd(cluster.stop);
  const started = async (config: Record<string, string>): Promise<boolean> =>
    (await sink.start(cluster.url, config)).task.putTexts !== undefined;
  expect([
    await started({}),
    await started({ 'analytics.metadata.columns': 'offset' }),
    await started({
      'misc.deadletterqueue.bootstrap.servers': '127.0.0.1:1',
      'misc.deadletterqueue.topic.name': 'letters',
    }),
  ]).toEqual([true, false, false]);
});
