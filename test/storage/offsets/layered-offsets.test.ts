import { silentLogger } from '../../../src/logging/logger';
import { LayeredOffsets } from '../../../src/storage/offsets/layered-offsets';
import { OffsetStore, type SourceOffsets } from '../../../src/storage/offsets/offset-store';
import { waitFor } from '../../helpers/wait-for';
import { MemoryLog, MemoryTopic } from '../log/memory-log';

let own: MemoryTopic;
let shared: MemoryTopic;
let layered: LayeredOffsets;
let warnings: string[];
/** What was written, in the order of both topics together. */
let order: string[];

beforeEach(async () => {
  [own, shared] = [new MemoryTopic(), new MemoryTopic()];
  warnings = [];
  order = [];
  for (const [name, topic] of [
    ['own', own],
    ['shared', shared],
  ] as const)
    topic.beforeWrite = ([key, value]) =>
      void order.push(`${name} ${String(key)}=${value === null ? '∅' : String(value)}`);
  const stores = [own, shared].map((topic) => new OffsetStore(new MemoryLog(topic), silentLogger));
  for (const store of stores) await store.start();
  const [primary, secondary] = stores as [OffsetStore, OffsetStore];
  layered = new LayeredOffsets(primary, secondary, { ...silentLogger, warn: (text) => void warnings.push(text) });
});

test('connect-runtime 79: offsets are in both topics, and a removal deletes from the worker’s first', async () => {
  await layered.write('c', [
    [{ p: 'a' }, { n: 1 }],
    [{ p: 'b' }, null],
  ]);
  await waitFor('the copy', () => order.length === 4, { everyMs: 1 });
  expect(order).toEqual([
    'shared ["c",{"p":"b"}]=∅',
    'own ["c",{"p":"a"}]={"n":1}',
    'own ["c",{"p":"b"}]=∅',
    'shared ["c",{"p":"a"}]={"n":1}',
  ]);
});

test('connect-runtime 79: its own topic wins where both have an offset', async () => {
  own.append('["c",{"p":"a"}]', '{"n":2}');
  shared.append('["c",{"p":"a"}]', '{"n":1}');
  shared.append('["c",{"p":"b"}]', '{"n":3}');
  expect(await layered.read('c', [{ p: 'a' }, { p: 'b' }, { p: 'c' }])).toEqual([{ n: 2 }, { n: 3 }, null]);
  expect(await layered.list('c')).toEqual([
    [{ p: 'a' }, { n: 2 }],
    [{ p: 'b' }, { n: 3 }],
  ]);
});

test('a removal that the worker’s topic rejects changes nothing; a copy that it rejects is a warning', async () => {
  own.append('["c",{"p":"a"}]', '{"n":2}');
  shared.beforeWrite = () => {
    throw new Error('no leader');
  };
  await expect(layered.write('c', [[{ p: 'a' }, null]])).rejects.toThrow('no leader');
  expect(await layered.read('c', [{ p: 'a' }])).toEqual([{ n: 2 }]);
  await layered.write('c', [[{ p: 'a' }, { n: 3 }]]);
  await waitFor('a warning', () => warnings.length === 1, { everyMs: 1 });
  expect(warnings[0]).toMatch(
    /^The offsets of connector c are stored in its own topic, but cannot be copied to the worker's: no leader/,
  );
  expect(await layered.read('c', [{ p: 'a' }])).toEqual([{ n: 3 }]);
});

test('a read waits for copies that this worker has not finished', async () => {
  const secondary = new OffsetStore(new MemoryLog(shared), silentLogger);
  await secondary.start();
  let pending = (): unknown => undefined;
  const slow: SourceOffsets = Object.assign(Object.create(secondary) as OffsetStore, {
    write: async (...copy: Parameters<OffsetStore['write']>) => void (pending = () => secondary.write(...copy)),
    flush: async () => void (await pending()),
  });
  const primary = (topic: MemoryTopic): OffsetStore => new OffsetStore(new MemoryLog(topic), silentLogger);
  new LayeredOffsets(primary(own), slow, silentLogger).copy('c', [[{ p: 'a' }, { n: 1 }]]);
  // The next task of the connector has another topic.
  const next = new LayeredOffsets(primary(new MemoryTopic()), slow, silentLogger);
  expect(await next.read('c', [{ p: 'a' }])).toEqual([{ n: 1 }]);
});

test('nothing is copied when its own topic rejects the write', async () => {
  own.beforeWrite = () => {
    throw new Error('no leader');
  };
  await expect(layered.write('c', [[{ p: 'a' }, { n: 3 }]])).rejects.toThrow('no leader');
  await layered.flush();
  expect(shared.records).toEqual([]);
});
