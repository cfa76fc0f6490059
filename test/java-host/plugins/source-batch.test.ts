import { isProcessingFailure, type ProcessedSourceRecord, SourceBatchCheck } from '../../../packages/sdk/src';
import { SourceBatches } from '../../../packages/java-host/src/plugins/source-batch';
import { batchBytes } from './batch-bytes';

const error = { class: 'a.B', message: 'no', kind: 'data', trace: '', cause: null };
const failure = { stage: 'VALUE_CONVERTER', class: 'my.Converter', error };

function batches(retry: (part: number, index: number) => Promise<ProcessedSourceRecord> = () => Promise.reject()) {
  return new SourceBatches(true, retry);
}

describe('a batch of a Java source task', () => {
  it('becomes records with bytes', () => {
    const { number, records, transaction } = batches().read(
      batchBytes({
        number: 7,
        topics: ['t', 'u'],
        records: [
          {
            key: 'k',
            headers: [
              ['h', 'x'],
              ['n', null],
            ],
          },
          { topic: 1, flags: 12, kafkaPartition: 3, timestamp: 1234, value: null },
          { partition: 65_535, offset: null },
        ],
      }),
      null,
    );
    expect([number, transaction]).toEqual([7, 0]);
    expect(records).toMatchObject([
      {
        part: 7,
        index: 0,
        topic: 't',
        sourcePartition: { server: 'a' },
        sourceOffset: { at: 0 },
        key: Buffer.from('k'),
        value: Buffer.from('v0'),
        keySchema: null,
        valueSchema: null,
        partition: null,
        timestamp: null,
        outcome: null,
        headers: [
          { key: 'h', schema: null, value: Buffer.from('x') },
          { key: 'n', schema: null, value: null },
        ],
      },
      { topic: 'u', partition: 3, timestamp: 1234, key: null, value: null, headers: null },
      { sourcePartition: null, sourceOffset: null },
    ]);
    expect(new SourceBatchCheck('c').check(records)).toBe(records);
  });

  it('shares partitions of all batches, and offsets of records beside each other', () => {
    const reader = batches();
    const same = { lsn: 5, pos: 'x' };
    const of = (at: number) =>
      batchBytes({
        records: [{ offset: same }, { offset: same }, { offset: { lsn: at } }, { offset: null }, { offset: null }],
      });
    const [first, second] = [reader.read(of(1), null).records, reader.read(of(2), null).records];
    expect(first[1]?.sourceOffset).toBe(first[0]?.sourceOffset);
    expect(first[2]?.sourceOffset).toEqual({ lsn: 1 });
    expect([first[3]?.sourceOffset, first[4]?.sourceOffset]).toEqual([null, null]);
    expect(second[0]?.sourcePartition).toBe(first[2]?.sourcePartition);
  });

  it('shares the last offset of a part with the next one, whatever is processed again in between', () => {
    const reader = batches();
    const read = (transaction: number, ...lsns: number[]) =>
      reader.read(batchBytes({ transaction, records: lsns.map((lsn) => ({ offset: { lsn } })) }), null).records;
    const first = read(4, 1, 2);
    read(0, 1);
    const second = read(4, 2, 3);
    const third = read(0, 2, 3);
    expect(second[0]?.sourceOffset).toBe(first[1]?.sourceOffset);
    expect(third.map(({ sourceOffset }) => sourceOffset)).toEqual([{ lsn: 2 }, { lsn: 3 }]);
    expect(third[0]?.sourceOffset).not.toBe(first[1]?.sourceOffset);
  });

  it('has no bytes of its own: they are those of the frame', () => {
    const bytes = batchBytes({ records: [{}] });
    const [record] = batches().read(bytes, null).records;
    expect((record?.value as Buffer).buffer).toBe(bytes.buffer);
  });

  it('says what is filtered and what has failed', async () => {
    const again: ProcessedSourceRecord[] = [];
    const retry = jest.fn(() => Promise.resolve(again[0] as ProcessedSourceRecord));
    const { records } = batches(retry).read(
      batchBytes({ number: 3, first: 10, records: [{ flags: 1 }, { flags: 2, topic: 65_535, failure }, {}] }),
      null,
    );
    expect(records[0]?.outcome).toBe('filtered');
    const outcome = records[1]?.outcome;
    expect(isProcessingFailure(outcome)).toBe(true);
    expect(outcome).toMatchObject({ stage: 'VALUE_CONVERTER', className: 'my.Converter', error: { javaClass: 'a.B' } });
    again.push(records[2] as ProcessedSourceRecord);
    expect(isProcessingFailure(outcome) && (await outcome.retry())).toBe(again[0]);
    expect(retry).toHaveBeenCalledWith(3, 11);
    expect(new SourceBatchCheck('c').check(records)).toBe(records);
  });

  it('requests transactions for its records', () => {
    const requests: [string, unknown][] = [];
    const { records } = batches().read(batchBytes({ records: [{ flags: 16 }, { flags: 32 }, { flags: 49 }] }), {
      commitTransaction: (record) => requests.push(['commit', record]),
      abortTransaction: (record) => requests.push(['abort', record]),
    });
    expect(requests).toEqual([
      ['commit', records[0]],
      ['abort', records[1]],
      ['commit', records[2]],
      ['abort', records[2]],
    ]);
  });

  it('keeps names that objects inherit in offsets', () => {
    const offset = JSON.parse('{"__proto__": 1, "constructor": "c"}') as never;
    const [record] = batches().read(batchBytes({ records: [{ offset }] }), null).records;
    expect(Object.entries(record?.sourceOffset ?? {})).toEqual([
      ['__proto__', 1],
      ['constructor', 'c'],
    ]);
    expect(Object.getPrototypeOf(record?.sourceOffset)).toBe(Object.prototype);
  });

  const whole = batchBytes({
    records: [
      { key: 'k', headers: [['h', 'x']] },
      { flags: 2, failure },
    ],
  });

  it('is refused wherever it is cut', () => {
    for (let length = 0; length < whole.length; length++)
      expect(() => batches().read(whole.subarray(0, length), null)).toThrow(
        expect.objectContaining({ code: 'JAVA_HOST_PROTOCOL' }),
      );
  });

  it.each([
    ['a topic that is not in its list', batchBytes({ records: [{ topic: 1 }] })],
    ['a source partition that is not in its list', batchBytes({ records: [{ partition: 1 }] })],
    ['an unknown stage', batchBytes({ records: [{ flags: 2, failure: { ...failure, stage: 'KAFKA_PRODUCE' } }] })],
    ['a source partition that is null', batchBytes({ partitions: [null as never], records: [] })],
    ['an offset that is no map', batchBytes({ records: [{ offset: 5 as never }] })],
    ['bytes after its records', Buffer.concat([whole, Buffer.of(0)])],
  ])('is refused with %s', (_name, bytes) => {
    expect(() => batches().read(bytes, null)).toThrow(expect.objectContaining({ code: 'JAVA_HOST_PROTOCOL' }));
  });
});
