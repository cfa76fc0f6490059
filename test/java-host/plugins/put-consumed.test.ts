/** What a Java sink task does with batches as they were consumed: `putConsumed` of the SDK. */
import type { ConsumedBatch, ConsumedPut, ProcessedSinkRecord, SinkRecord, SinkTask } from '../../../packages/sdk/src';
import { SocketSession } from '../../../packages/java-host/src/connection/socket-session';
import type { HostValue } from '../../../packages/java-host/src/wire/host-value';
import { isProcessingFailure } from '../../../packages/sdk/src';
import type { Peer } from '../scripted-host';
import { args, hostError, record, sent, startedSink } from './started-sink';

type Values = readonly (string | null)[];

/** Keys, values and headers are parts of one buffer, as the consumer returns them. */
function consumed(
  partition: number,
  first: number,
  values: Values,
  headers: ConsumedBatch['records'][0]['headers'] = [],
) {
  const bytes = Buffer.from(`${values.map((value) => `k${value ?? ''}`).join('')}end`);
  let at = 0;
  const records = values.map((value, index) => {
    const keyStart = at;
    const keyEnd = (at += 1);
    const valueStart = value === null ? -1 : at;
    const valueEnd = (at += value?.length ?? 0);
    return { offset: first + index, timestamp: 1000, bytes, keyStart, keyEnd, valueStart, valueEnd, headers };
  });
  return { topic: 't', partition, timestampType: 'CreateTime', records } satisfies ConsumedBatch;
}

const taken = (records: number): HostValue => ({
  taken: records,
  left: 0,
  puts: [[records, 0.5]],
  outcomes: [],
  error: null,
});
const left = (records: number, outcomes: HostValue, error: HostValue = null): HostValue => ({
  taken: 0,
  left: records,
  puts: [],
  outcomes,
  error,
});
const nothing = (): readonly ConsumedBatch[] => [];
const putConsumed = (task: SinkTask, batches: readonly ConsumedBatch[], next = nothing) =>
  task.putConsumed?.(batches, { most: 500, ms: 20, next }) as Promise<ConsumedPut>;
const recordsOf = (partition: number, ...offsets: readonly number[]): SinkRecord[] =>
  offsets.map((offset) => record(offset, { partition }));
/** Numbers of the records that came ahead. */
const ahead = (peer: Peer) => sent(peer, 'ahead').map(({ records }) => records);

test('batches come ahead of their put, and nothing of them is kept', async () => {
  const { task, peer } = await startedSink({ putAhead: () => taken(3) });
  const headers = [{ key: 'h', value: Buffer.from('x') }];
  const batches = [consumed(0, 5, ['a', null], headers), consumed(1, 9, ['b'])];
  expect(await putConsumed(task, batches)).toEqual({ taken: 3, left: 0, error: null, puts: [{ records: 3, ms: 0.5 }] });
  peer.answers.set('putAhead', () => taken(1));
  await putConsumed(task, [consumed(0, 7, ['c'])]);
  await peer.call('configs');
  expect(sent(peer, 'ahead')).toEqual([
    {
      partitions: [
        ['t', 0],
        ['t', 1],
      ],
      records: [
        [0, 0, 5, 1000, 1, 'k', 'a', [['h', 'x']]],
        [1, 0, 6, 1000, 1, 'k', null, [['h', 'x']]],
        [2, 1, 9, 1000, 1, 'k', 'b', []],
      ],
    },
    { partitions: [['t', 0]], records: [[3, 0, 7, 1000, 1, 'k', 'c', []]] },
  ]);
  expect(args(peer, 'putAhead')).toEqual([
    [0, 500, 20],
    [3, 500, 20],
  ]);
  expect(args(peer, 'discard')).toEqual([]);
});

test('process has the outcomes of what is left without another call, and put its numbers', async () => {
  const failure = { stage: 'VALUE_CONVERTER', class: 'my.Value', error: hostError('data') };
  const outcomes: HostValue = [
    [0, null],
    [2, failure],
  ];
  const answers = [{ ...(left(3, outcomes) as object), taken: 1, puts: [[1, 2]] }, taken(1)];
  const { task, peer } = await startedSink({ putAhead: () => answers.shift() as HostValue });
  const batches = [consumed(0, 0, ['a', 'b']), consumed(1, 4, ['c', 'd'])];
  expect(await putConsumed(task, batches)).toEqual({ taken: 1, left: 3, error: null, puts: [{ records: 1, ms: 2 }] });
  const [first, second] = [recordsOf(0, 1), recordsOf(1, 4, 5)];
  expect(await task.process?.(first)).toEqual([null]);
  const [kept, failed] = (await task.process?.(second)) as ProcessedSinkRecord[];
  expect(kept).toBe(second[0]);
  expect(isProcessingFailure(failed as ProcessedSinkRecord)).toBe(true);
  await task.put([second[0]] as SinkRecord[]);
  expect(args(peer, 'convert')).toEqual([]);
  expect(args(peer, 'put')).toEqual([[[[2, 2]]]]);
  await putConsumed(task, [consumed(0, 2, ['e'])]);
  await peer.call('configs');
  expect(args(peer, 'discard')).toEqual([[[[1, 2]]], [[[3, 3]]]]);
  expect(ahead(peer)[1]).toEqual([[4, 0, 2, 1000, 1, 'k', 'e', []]]);
});

test('after a retriable error the records are put again by their numbers', async () => {
  const error = hostError('retriable');
  const { task, peer } = await startedSink({ putAhead: () => left(2, [[1, null]], error) });
  const put = await putConsumed(task, [consumed(0, 0, ['a', 'b'])]);
  expect(put).toMatchObject({ taken: 0, left: 2, error: { retriable: true } });
  const records = recordsOf(0, 0, 1);
  expect(await task.process?.(records)).toEqual([records[0], null]);
  await task.put(records.slice(0, 1));
  expect(args(peer, 'put')).toEqual([[[[0, 0]]]]);
});

test("any other error is the task's", async () => {
  const { task } = await startedSink({ putAhead: () => Promise.reject(hostError('connect') as never) });
  await expect(putConsumed(task, [consumed(0, 0, ['a'])])).rejects.toMatchObject({ retriable: false });
});

test('what the runtime does not process is discarded', async () => {
  const { task, peer } = await startedSink({ putAhead: () => left(3, []) });
  await putConsumed(task, [consumed(0, 0, ['a']), consumed(1, 0, ['b', 'c'])]);
  await task.process?.(recordsOf(0, 0));
  // Other records than those of the second batch: the runtime has consumed them again.
  const again = recordsOf(1, 1);
  await task.process?.(again);
  await peer.call('configs');
  expect(args(peer, 'discard')).toEqual([[[[1, 2]]]]);
  expect(sent(peer, 'convert')).toMatchObject([{ records: [[3, 0, 1, 1000, 1, null, 'v1', []]] }]);
  await task.put(again);
  expect(args(peer, 'put')).toEqual([[[[3, 3]]]]);
});

test('what probably comes next is sent while the JVM works, and is put if it does come', async () => {
  const answers: HostValue[] = [taken(1), taken(1), left(1, [[0, null]]), taken(1)];
  const { task, peer } = await startedSink({ putAhead: () => answers.shift() ?? null });
  const [first, second, third, other] = [0, 1, 2, 5].map((offset) => [consumed(0, offset, [`v${offset}`])]);
  let asked = 0;
  // The same records in other batch objects.
  const next =
    (batches: readonly ConsumedBatch[] = []) =>
    () => (asked++, batches.map((batch) => ({ ...batch })));
  await putConsumed(task, first ?? [], next(second));
  await putConsumed(task, second ?? [], next(third));
  await putConsumed(task, other ?? [], next(third));
  await task.process?.(recordsOf(0, 5));
  await putConsumed(task, third ?? []);
  expect(asked).toBe(3);
  expect(ahead(peer).map((records) => (records as unknown[][]).map(([number, , offset]) => [number, offset]))).toEqual([
    [[0, 0]],
    [[1, 1]],
    [[2, 2]],
    [[3, 5]],
    [[4, 2]],
  ]);
  expect(args(peer, 'putAhead').map(([number]) => number)).toEqual([0, 1, 3, 4]);
});

test('records that are processed after some were sent ahead have other numbers than these', async () => {
  const { task, peer } = await startedSink({ putAhead: () => taken(1) });
  await putConsumed(task, [consumed(0, 0, ['a'])], () => [consumed(0, 1, ['b', 'c'])]);
  await task.process?.(recordsOf(0, 1));
  expect(sent(peer, 'convert')).toMatchObject([{ records: [[3, 0, 1, 1000, 1, null, 'v1', []]] }]);
});

test('a put ends with the session, also while a JVM does not read the records', async () => {
  const never = new Promise<never>(() => undefined);
  const { task } = await startedSink({ putAhead: () => never });
  const flushed = jest.spyOn(SocketSession.prototype, 'flushed').mockReturnValue(never);
  const putting = putConsumed(task, [consumed(0, 0, ['a'])]);
  task.release?.();
  await expect(putting).rejects.toMatchObject({ code: 'JVM_SESSION_CLOSED' });
  flushed.mockRestore();
});

test('more than 8 MiB is left to be sent in parts', async () => {
  const { task, peer } = await startedSink({ putAhead: () => taken(1) });
  const large = 'x'.repeat(8 * 1024 * 1024);
  const whole = { taken: 0, left: 1, error: null, puts: [] };
  expect(await putConsumed(task, [consumed(0, 0, [large])])).toEqual(whole);
  const headers = [{ key: 'h', value: Buffer.alloc(8 * 1024 * 1024) }];
  expect(await putConsumed(task, [consumed(0, 0, ['a'], headers)])).toEqual(whole);
  expect(await putConsumed(task, [consumed(0, 1, [large.slice(0, -2)])])).toMatchObject({ taken: 1 });
  expect(peer.requests('putAhead')).toHaveLength(1);
});

test('a record that is reported without having been kept is reported with its bytes', async () => {
  const reported: SinkRecord[] = [];
  const report = (one: SinkRecord): Promise<void> => Promise.resolve(void reported.push(one));
  const { task, peer } = await startedSink({}, { errantRecordReporter: { report } });
  peer.answers.set('putAhead', async () => {
    const [bytes] = args(peer, 'ahead')[0] as [Buffer];
    await peer.call('report', bytes.subarray(8), hostError('data'));
    return taken(1);
  });
  await putConsumed(task, [consumed(0, 5, ['a'])]);
  expect(reported).toMatchObject([{ originalTopic: 't', originalOffset: 5, value: Buffer.from('a'), headers: [] }]);
});

test.each<[HostValue]>([[null], [{ taken: 'x' }], [{}], [{ taken: 0, left: 1, outcomes: [5], puts: [] }]])(
  'refuses %j as the answer',
  async (answer) => {
    const { task } = await startedSink({ putAhead: () => answer });
    await expect(putConsumed(task, [consumed(0, 0, ['a'])])).rejects.toMatchObject({ code: 'JAVA_HOST_PROTOCOL' });
  },
);
