/** Records whose values are passed on as bytes: when they are, and that nothing else about a put differs. */
import { RetriableError, type TextBatch } from '@millrace/sdk';
import type { RecordHeader } from '@millrace/kafka-client';
import { batch, eventually } from '../fakes';
import { ScriptedSink, start, stop, T1 } from './sink-fixture';
import { viewed } from './viewed-batch';

const STRING = 'org.apache.kafka.connect.storage.StringConverter';
const HEADERS: readonly RecordHeader[] = [{ key: 'h', value: null }];

class TextSink extends ScriptedSink {
  readonly texts: string[][] = [];
  readonly maxPollRecords = 9;

  async putTexts(batches: readonly TextBatch[]): Promise<void> {
    this.texts.push(batches.flatMap(({ records }) => records.map(textOf)));
    const error = this.putErrors.shift();
    if (error) throw error;
  }
}

function textOf({ bytes, valueStart, valueEnd }: TextBatch['records'][number]): string {
  return valueStart < 0 ? 'null' : Buffer.from(bytes.subarray(valueStart, valueEnd)).toString();
}

const committed = ({ consumer }: Awaited<ReturnType<typeof start>>): unknown => consumer.commits.at(-1);
const offsets = (first: number, second: number): unknown[] => [
  { topic: 't', partition: 0, offset: first },
  { topic: 't', partition: 1, offset: second },
];

test('values are passed on as bytes, and committed', async () => {
  const task = new TextSink();
  const running = await start(task);
  running.consumer.next([viewed(batch('t', 0, 5, ['a', 'é'])), viewed(batch('t', 1, 0, ['c', null]))]);
  await eventually(() => task.texts.length === 1);
  await stop(running);
  expect([task.texts, task.puts]).toEqual([[['a', 'é', 'c', 'null']], []]);
  expect(committed(running)).toEqual(offsets(7, 2));
  expect(running.w.clientConfigs[0]?.['max.poll.records']).toBe('9');
});

test('the setting of the user wins', async () => {
  const running = await start(new TextSink(), { 'consumer.override.max.poll.records': '7' });
  await stop(running);
  expect(running.w.clientConfigs[0]?.['max.poll.records']).toBe('7');
});

test('the same batches are put again after a retriable error; a partition that is lost is not', async () => {
  const task = new TextSink();
  const running = await start(task);
  task.putErrors = [new RetriableError('later'), new RetriableError('later')];
  running.consumer.next([viewed(batch('t', 0, 0, ['a'])), viewed(batch('t', 1, 0, ['b']))]);
  running.consumer.next(async () => {
    running.consumer.assigned = running.consumer.assigned.filter(({ partition }) => partition !== 1);
    await running.consumer.listener.onLost([T1]);
  });
  await eventually(() => task.texts.length === 3);
  await stop(running);
  expect([task.texts, task.puts]).toEqual([[['a', 'b'], ['a'], ['a']], []]);
  expect(committed(running)).toEqual([{ topic: 't', partition: 0, offset: 1 }]);
});

test('another error fails the task; nothing of the batch is committed', async () => {
  const task = new TextSink();
  const running = await start(task, { 'errors.tolerance': 'none' });
  task.putErrors = [new Error('broken')];
  running.consumer.next([viewed(batch('t', 0, 5, ['a']))]);
  await running.runner.done;
  expect(running.listener.events.join()).toBe('running c-0,failed c-0');
  expect([task.texts, running.consumer.commits]).toEqual([[['a']], []]);
});

test('a batch that must be converted is put in order, with those before it', async () => {
  const task = new TextSink();
  const running = await start(task);
  running.consumer.next([
    viewed(batch('t', 0, 0, ['a', 'b'])),
    viewed(batch('t', 0, 2, ['c']), HEADERS),
    viewed(batch('t', 1, 0, ['d'])),
  ]);
  await eventually(() => task.puts.length === 1);
  running.consumer.next([viewed(batch('t', 0, 3, ['e']))]);
  await eventually(() => task.texts.length === 1);
  await stop(running);
  expect([task.puts, task.texts]).toEqual([[['a', 'b', 'c', 'd']], [['e']]]);
  expect(committed(running)).toEqual(offsets(4, 1));
});

test.each([
  ['a transformation', { transforms: 'x', 'transforms.x.type': 'org.apache.kafka.connect.transforms.InsertHeader' }],
  ['a report of failed records', { 'errors.log.enable': 'true' }],
  ['bisection', { 'errors.tolerance': 'all' }],
  ['another charset', { 'value.converter': STRING, 'value.converter.converter.encoding': 'ISO-8859-1' }],
  ['a key that may not be readable', { 'key.converter': 'org.apache.kafka.connect.json.JsonConverter' }],
  ['another converter', { 'value.converter': 'org.apache.kafka.connect.converters.ByteArrayConverter' }],
])('all is put as records with %s', async (_, config) => {
  const task = new TextSink();
  const insert = { 'transforms.x.header': 'a', 'transforms.x.value.literal': 'b' };
  const running = await start(task, { ...config, ...('transforms' in config && insert), 'errors.retry.timeout': '0' });
  running.consumer.next([viewed(batch('t', 0, 0, ['a']))]);
  await eventually(() => task.puts.length === 1 || running.listener.events.length > 1);
  await stop(running);
  expect(task.texts).toEqual([]);
});
