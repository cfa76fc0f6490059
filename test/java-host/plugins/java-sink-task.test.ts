import {
  ConnectError,
  isProcessingFailure,
  type ProcessedSinkRecord,
  schema,
  type SinkRecord,
} from '../../../packages/sdk/src';
import { DataReader } from '../../../packages/java-host/src/data/data-reader';
import { ByteReader } from '../../../packages/java-host/src/wire/byte-reader';
import { ByteWriter } from '../../../packages/java-host/src/wire/byte-writer';
import { MAX_RECORD } from '../../../packages/java-host/src/wire/too-large';
import type { HostValue } from '../../../packages/java-host/src/wire/host-value';
import { args, hostError, record, sent, startedSink } from './started-sink';

const NEVER = new Promise<never>(() => undefined);

describe('a Java sink task', () => {
  it('opens its session, takes the processing and starts', async () => {
    const { peer, result } = await startedSink({}, { assignment: () => [{ topic: 't', partition: 3 }] });
    expect(result).toEqual({ steps: 1, converters: true });
    expect(peer.requests('open')[0]?.args[0]).toMatchObject({ kind: 'sink-task', class: 'my.Task', task: 2 });
    expect(peer.requests('start')[0]?.args).toMatchObject([{ assignment: [['t', 3]], errantRecords: false }]);
  });

  it('sends records as they were consumed, and puts them by their numbers', async () => {
    const { task, peer } = await startedSink();
    const records = [
      record(5, { key: Buffer.from('k'), headers: [{ key: 'h', schema: null, value: Buffer.from('x') }] }),
      record(6, { partition: 1, value: null, timestamp: null, timestampType: 'NoTimestampType' }),
      record(7, { topic: 'u', timestampType: 'LogAppendTime' }),
    ];
    expect(await task.process?.(records)).toEqual(records);
    expect(sent(peer, 'convert')).toEqual([
      {
        partitions: [
          ['t', 0],
          ['t', 1],
          ['u', 0],
        ],
        records: [
          [0, 0, 5, 1000, 1, 'k', 'v5', [['h', 'x']]],
          [1, 1, 6, -1, 0, null, null, []],
          [2, 2, 7, 1000, 2, null, 'v7', []],
        ],
      },
    ]);
    await task.put(records);
    expect(args(peer, 'put')).toEqual([[[[0, 2]]]]);
    await task.put([]);
    expect(args(peer, 'put')[1]).toEqual([[]]);
    expect(args(peer, 'discard')).toEqual([[[[0, 2]]]]);
  });

  it('returns the very records, null for those that are filtered, and failures', async () => {
    const failure = { stage: 'VALUE_CONVERTER', class: 'my.Value', error: hostError('data') };
    const { task, peer } = await startedSink({
      convert: () => [
        [1, null],
        [2, failure],
      ],
    });
    const records = [0, 1, 2, 3].map((offset) => record(offset));
    const results = (await task.process?.(records)) as ProcessedSinkRecord[];
    expect(results[0]).toBe(records[0]);
    expect(results[1]).toBeNull();
    expect(results[2]).toMatchObject({ stage: 'VALUE_CONVERTER', className: 'my.Value', error: { javaClass: 'a.B' } });
    expect(results[3]).toBe(records[3]);
    await task.put([records[0], records[3]] as SinkRecord[]);
    expect(args(peer, 'put')).toEqual([
      [
        [
          [0, 0],
          [3, 3],
        ],
      ],
    ]);
    await peer.call('configs');
    expect(args(peer, 'discard')).toEqual([[[[0, 3]]]]);
  });

  it('processes a failed record again: to be put, filtered, or failed as before', async () => {
    const failure = { stage: 'TRANSFORMATION', class: 'my.Step', error: hostError('retriable') };
    const outcomes: HostValue[] = [failure, false, null];
    const { task, peer } = await startedSink({ convert: () => [[0, failure]], retry: () => outcomes.shift() ?? null });
    const records = [record(0)];
    const [first] = (await task.process?.(records)) ?? [];
    if (!isProcessingFailure(first)) throw new Error('no failure');
    const retry = first.retry as () => Promise<ProcessedSinkRecord>;
    const second = await retry();
    expect(isProcessingFailure(second)).toBe(true);
    expect(await retry()).toBeNull();
    expect(await retry()).toBe(records[0]);
    await task.put(records);
    expect(args(peer, 'retry')).toEqual([[0], [0], [0]]);
  });

  it('cuts a batch at about 1 MiB', async () => {
    const { task, peer } = await startedSink({
      // The last one of each part.
      convert: (bytes) => [[(bytes as Buffer).length > 1_000_000 ? 2 : 0, null]],
    });
    const large = Buffer.alloc(400_000);
    const records = [0, 1, 2, 3, 4, 5, 6].map((offset) => record(offset, { value: large }));
    const results = (await task.process?.(records)) ?? [];
    expect(sent(peer, 'convert').map((part) => part.records.length)).toEqual([3, 3, 1]);
    expect(results.map((result) => result === null)).toEqual([false, false, true, false, false, true, true]);
  });

  it('a record that is too large fails alone', async () => {
    const { task, peer } = await startedSink();
    const records = [record(0), record(1, { value: Buffer.alloc(MAX_RECORD) }), record(2)];
    const results = (await task.process?.(records)) as ProcessedSinkRecord[];
    expect(results[0]).toBe(records[0]);
    expect(results[1]).toMatchObject({ stage: 'VALUE_CONVERTER', error: { code: 'JAVA_TOO_LARGE', retriable: false } });
    expect(results[2]).toBe(records[2]);
    expect(sent(peer, 'convert').map((part) => part.records.length)).toEqual([2]);
  });

  it('waits for answers before it sends more than a JVM may have to hold', async () => {
    let answer: () => void = () => undefined;
    const first = new Promise<HostValue>((resolve) => (answer = () => resolve([])));
    const { task, peer } = await startedSink({ convert: () => first });
    const large = Buffer.alloc(40 * 1024 * 1024);
    const processed = task.process?.([0, 1, 2].map((offset) => record(offset, { value: large })));
    await peer.until(() => peer.requests('convert').length === 2);
    await peer.call('configs');
    expect(peer.requests('convert')).toHaveLength(2);
    answer();
    expect(await processed).toHaveLength(3);
    expect(peer.requests('convert')).toHaveLength(3);
  });

  it('puts the same records again after an error, and forgets them only when they are put', async () => {
    const errors = [hostError('retriable')];
    const { task, peer } = await startedSink({
      put: () => {
        const next = errors.shift();
        return next ? Promise.reject(next as never) : null;
      },
    });
    const records = [record(0), record(1)];
    await task.process?.(records);
    await expect(task.put(records)).rejects.toMatchObject({ retriable: true });
    expect(args(peer, 'discard')).toEqual([]);
    await task.put(records);
    expect(args(peer, 'put')).toEqual([[[[0, 1]]], [[[0, 1]]]]);
    await peer.call('configs');
    expect(args(peer, 'discard')).toEqual([[[[0, 1]]]]);
  });

  it('puts parts of a batch, in order', async () => {
    const { task, peer } = await startedSink();
    const records = [0, 1, 2, 3].map((offset) => record(offset));
    await task.process?.(records);
    await task.put(records.slice(0, 2));
    await task.put(records.slice(2));
    await peer.call('configs');
    expect(args(peer, 'put')).toEqual([[[[0, 1]]], [[[2, 3]]]]);
    expect(args(peer, 'discard')).toEqual([[[[0, 1]]], [[[2, 3]]]]);
  });

  it('forgets the records of partitions that it closes', async () => {
    const { task, peer } = await startedSink();
    const records = [record(0), record(1, { partition: 1 }), record(2), record(3, { partition: 1 })];
    await task.process?.(records);
    await task.close?.([{ topic: 't', partition: 1 }]);
    expect(args(peer, 'close')).toEqual([[[['t', 1]]]]);
    await peer.call('configs');
    expect(args(peer, 'discard')).toEqual([
      [
        [
          [1, 1],
          [3, 3],
        ],
      ],
    ]);
    await task.put([records[0], records[2]] as SinkRecord[]);
    expect(args(peer, 'put')).toEqual([
      [
        [
          [0, 0],
          [2, 2],
        ],
      ],
    ]);
  });

  it('opens partitions', async () => {
    const { task, peer } = await startedSink();
    peer.answers.set('open', () => null);
    await task.open?.([{ topic: 't', partition: 1 }]);
    expect(args(peer, 'open')[1]).toEqual([[['t', 1]]]);
  });

  it('has preCommit only where the class has it, or flush', async () => {
    const { task } = await startedSink();
    expect(task.preCommit).toBeUndefined();
    const preCommit = (offsets: HostValue): HostValue =>
      (offsets as [string, number, number][]).map(([t, p, o]) => [t, p, o - 1]);
    const { task: flushing } = await startedSink({ preCommit }, {}, undefined, ['flush']);
    expect(await flushing.preCommit?.([{ topic: 't', partition: 1, offset: 7 }])).toEqual([
      { topic: 't', partition: 1, offset: 6 },
    ]);
    expect((flushing as { flush?: unknown }).flush).toBeUndefined();
  });

  it.each([[5], [[5]], [[['t', 1]]], [[['t', '1', 2]]]])('refuses %j of preCommit', async (answer) => {
    const { task } = await startedSink({ preCommit: () => answer as HostValue }, {}, undefined, ['preCommit']);
    await expect(task.preCommit?.([])).rejects.toMatchObject({ code: 'JAVA_HOST_PROTOCOL' });
  });

  it('does what the task asks for before the call returns', async () => {
    const asked: unknown[] = [];
    const note = (name: string) => (value?: unknown) => void asked.push([name, value]);
    const { task, peer, warnings } = await startedSink(
      {},
      {
        seek: note('seek'),
        pause: note('pause'),
        resume: () => {
          throw new Error('not assigned');
        },
        timeout: note('timeout'),
        requestCommit: note('requestCommit'),
      },
    );
    peer.answers.set('put', () => {
      peer.event('seek', 't', 1, 5);
      peer.event('pause', [['t', 1]]);
      peer.event('resume', [['t', 2]]);
      peer.event('timeout', 100);
      peer.event('requestCommit');
      return null;
    });
    await task.put([]);
    expect(asked).toEqual([
      ['seek', { topic: 't', partition: 1, offset: 5 }],
      ['pause', [{ topic: 't', partition: 1 }]],
      ['timeout', 100],
      ['requestCommit', undefined],
    ]);
    expect(warnings).toEqual(['Ignoring resume() of the task: not assigned']);
  });

  it('ends its session with an event that cannot be read', async () => {
    const { task, peer } = await startedSink({ put: () => NEVER });
    const put = expect(task.put([])).rejects.toMatchObject({ code: 'JAVA_HOST_PROTOCOL' });
    peer.event('seek', 5);
    await put;
  });

  function reportOf(number: number, write: (out: ByteWriter) => void): Buffer {
    const out = new ByteWriter();
    out.i32(1);
    out.string('t');
    out.i32(4);
    out.i32(1);
    out.i64(number);
    out.u16(0);
    out.i64(9);
    out.i64(-1);
    out.u8(1);
    write(out);
    return out.take();
  }

  it('reports its own records as the runtime knows them, and those of the task with their bytes', async () => {
    const reports: [SinkRecord, unknown][] = [];
    const report = (reported: SinkRecord, cause: unknown) => {
      reports.push([reported, cause]);
      return reports.length < 3 ? Promise.resolve() : Promise.reject(new ConnectError('refused'));
    };
    const { task, peer } = await startedSink({}, { errantRecordReporter: { report } });
    expect(peer.requests('start')[0]?.args[0]).toMatchObject({ errantRecords: true });
    const records = [record(9, { partition: 4 })];
    await task.process?.(records);
    const bytes = (number: number): Buffer =>
      reportOf(number, (out) => {
        out.bytes(null);
        out.bytes(Buffer.from('own'));
        out.i32(1);
        out.string('h');
        out.bytes(null);
      });
    expect(await peer.call('report', bytes(0), hostError('data'))).toMatchObject({ type: 'result', value: null });
    expect(reports[0]?.[0]).toBe(records[0]);
    expect(reports[0]?.[1]).toMatchObject({ javaClass: 'a.B' });
    await peer.call('report', bytes(-1), null);
    expect(reports[1]).toMatchObject([
      {
        topic: 't',
        partition: 4,
        offset: 9,
        value: Buffer.from('own'),
        timestamp: null,
        timestampType: 'CreateTime',
        headers: [{ key: 'h', schema: null, value: null }],
      },
      null,
    ]);
    expect(await peer.call('report', bytes(0), null)).toMatchObject({ type: 'error', value: { message: 'refused' } });
    expect(await peer.call('report', Buffer.of(1), null)).toMatchObject({ type: 'error' });
    expect(await peer.call('report', null, null)).toMatchObject({ type: 'error' });
  });

  it('sends data with the topic that it has now where it is converted here', async () => {
    const { task, peer } = await startedSink({}, {}, { steps: 1, converters: false });
    const moved = record(1, { topic: 'moved', originalTopic: 't', valueSchema: schema('STRING'), value: 'text' });
    await task.process?.([moved]);
    const reader = new ByteReader(peer.requests('convert')[0]?.args[0] as Buffer);
    const data = new DataReader();
    expect([reader.i32(), reader.string(), reader.i32(), reader.string(), reader.i32()]).toEqual([
      2,
      't',
      0,
      'moved',
      0,
    ]);
    expect([reader.i32(), reader.i64(), reader.u16(), reader.u16(), reader.i64()]).toEqual([1, 0, 0, 1, 1]);
    expect([reader.i64(), reader.u8()]).toEqual([1000, 1]);
    expect(data.read(reader)).toEqual({ schema: null, value: null });
    expect(data.read(reader)).toMatchObject({ schema: { type: 'STRING' }, value: 'text' });
  });

  it('says which records have data that Java does not', async () => {
    const { task, peer } = await startedSink({}, {}, { steps: 1, converters: false });
    const records = [record(0, { value: 'a' }), record(1, { value: Symbol('x') }), record(2, { value: 'b' })];
    const results = (await task.process?.(records)) ?? [];
    expect(results[0]).toBe(records[0]);
    expect(results[1]).toMatchObject({ stage: 'VALUE_CONVERTER', error: { code: 'JAVA_DATA' } });
    await task.put([records[0], records[2]] as SinkRecord[]);
    expect(args(peer, 'put')).toEqual([
      [
        [
          [0, 0],
          [2, 2],
        ],
      ],
    ]);
  });

  it('sends records before it puts them where it has taken nothing', async () => {
    const { task, peer } = await startedSink({ convert: () => [[1, null]] }, {}, { steps: 0, converters: false });
    const records = [record(0, { value: 'a' }), record(1, { value: 'b' }), record(2, { value: 'c' })];
    await task.put(records);
    expect(args(peer, 'put')).toEqual([
      [
        [
          [0, 0],
          [2, 2],
        ],
      ],
    ]);
    const failure = { stage: 'TRANSFORMATION', class: 'x', error: hostError('data') };
    const { task: failing } = await startedSink({ convert: () => [[0, failure]] }, {}, { steps: 0, converters: false });
    await expect(failing.put([record(0, { value: 'a' })])).rejects.toMatchObject({ javaClass: 'a.B' });
  });

  it.each([
    ['no list', 5],
    ['an unknown record', [[1, null]]],
    ['no index', [['0', null]]],
    ['an unknown stage', [[0, { stage: 'X', class: 'c', error: null }]]],
    ['an outcome that is no map', [[0, 'x']]],
  ])('refuses a result of convert with %s', async (_name, answer) => {
    const { task } = await startedSink({ convert: () => answer as HostValue });
    await expect(task.process?.([record(0)])).rejects.toMatchObject({ code: 'JAVA_HOST_PROTOCOL' });
  });

  it('ends a put that hangs when it is released', async () => {
    const { task, peer } = await startedSink({ put: () => NEVER });
    const put = expect(task.put([])).rejects.toMatchObject({ code: 'JVM_SESSION_CLOSED' });
    await peer.until(() => peer.requests('put').length === 1);
    task.release?.();
    await put;
    await peer.closed;
  });
});
