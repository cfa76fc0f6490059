/** The form of records in files. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import avro from 'avsc';
import {
  arraySchema,
  dateSchema,
  decimalSchema,
  schema,
  structSchema,
  mapSchema,
  timestampSchema,
  LogicalName,
  type Schema,
  type SinkRecord,
} from '@millrace/sdk';
import { PartitionBatcher, type Sealed } from '../../../connectors/analytics/src/batcher/partition-batcher';
import { RowBuffers } from '../../../connectors/analytics/src/batcher/row-buffers';
import type { AnalyticsSettings } from '../../../connectors/analytics/src/config/settings';
import { findFormat, type Format } from '../../../connectors/analytics/src/mapping/formats';
import type { TableMapping } from '../../../connectors/analytics/src/mapping/topic-mapping';
import { AvroRows } from '../../../connectors/analytics/src/records/avro-file';
import { avroValue } from '../../../connectors/analytics/src/records/avro-data';
import { jsonText } from '../../../connectors/analytics/src/records/json-value';
import { rowOf, type Row, type RowSettings } from '../../../connectors/analytics/src/records/row';
import { sinkRecord } from './sink-record';

const PLAIN: RowSettings = { validateJson: true, metadataColumns: [] };
const STRUCT = structSchema([
  ['a', schema('STRING')],
  ['b', schema('INT32')],
]);

function row(format: string, record: SinkRecord, settings = PLAIN): Row {
  return rowOf(record, findFormat(format) as Format, settings);
}
function text(format: string, record: SinkRecord, settings = PLAIN): string {
  const made = row(format, record, settings);
  return 'bytes' in made ? made.bytes.toString('utf8') : made.kind;
}
const struct = (value: object): SinkRecord => sinkRecord(value, { valueSchema: STRUCT });

test('analytics-sink 20, 30: text is unchanged, with a line end', () => {
  expect(text('csv', sinkRecord('x,1'))).toBe('x,1\n');
  expect(text('txt', sinkRecord('Žluťoučký 🐎 конь'))).toBe('Žluťoučký 🐎 конь\n');
});

test('analytics-sink 21: a structure in a JSON format, without its schema', () => {
  expect(text('json', struct({ a: 'x', b: 1 }))).toBe('{"a":"x","b":1}\n');
});

test('analytics-sink 21: a float32 has its own digits in JSON, as from the Java sink', () => {
  const texts = [0.1, -16777216, 3.4028235e38, 1.17549435e-38, 0, NaN].map((value) =>
    jsonText(schema('FLOAT32'), Math.fround(value)),
  );
  expect(texts).toEqual(['0.1', '-16777216', '3.4028235e+38', '1.1754944e-38', '0', '"NaN"']);
  expect(jsonText(schema('FLOAT64'), Math.fround(0.1))).toBe('0.10000000149011612');
});

test('analytics-sink 22: a value that a format cannot represent is an error of its record', () => {
  for (const [format, record] of [
    ['csv', sinkRecord({ a: 'x' })],
    ['csv', struct({ a: 'x', b: 1 })],
    ['csv', sinkRecord(['x'])],
    ['avro', sinkRecord({ a: 'x' })],
    ['avro', sinkRecord('x')],
    ['parquet', struct({ a: 'x', b: 1 })],
  ] as const)
    expect(() => row(format, record)).toThrow(
      expect.objectContaining({ code: 'ANALYTICS_RECORD', place: { topic: 't', partition: 0, offset: 7 } }),
    );
  expect(text('json', sinkRecord({ a: 'x', b: [1, null] }))).toBe('{"a":"x","b":[1,null]}\n');
});

test('analytics-sink 23: structures become an Avro file that other readers accept; equal schemas share it', () => {
  const big = structSchema([
    ['a', schema('STRING', { optional: true })],
    ['n', schema('INT64')],
    ['at', schema('INT64', { name: LogicalName.TIMESTAMP })],
    ['list', arraySchema(schema('INT32'))],
    ['raw', schema('BYTES')],
  ]);
  const rows = new AvroRows(big);
  const at = new Date(1_700_000_000_000);
  rows.add(big, { a: null, n: 9_007_199_254_740_993n, at, list: [1, 2], raw: Buffer.from('x') });
  rows.add(big, { a: 'x', n: 5, at, list: [], raw: Buffer.alloc(0) });
  expect(() => rows.add(big, { a: 'x', n: 5, at, list: ['no'], raw: Buffer.alloc(0) })).toThrow();
  const bytes = Buffer.concat([rows.header(), rows.block(true)]);
  const read: Record<string, unknown>[] = [];
  const decoder = new avro.streams.BlockDecoder({
    parseHook: (known) =>
      avro.Type.forSchema(known, {
        registry: {
          long: avro.types.LongType.__with({
            fromBuffer: (buffer: Buffer) => buffer.readBigInt64LE(),
            toBuffer: () => Buffer.alloc(8),
            fromJSON: BigInt,
            toJSON: Number,
            isValid: () => true,
            compare: () => 0,
          }),
        },
      }),
  });
  return new Promise<void>((resolve) => {
    decoder.on('data', (value: Record<string, unknown>) => read.push(value));
    decoder.on('end', () => {
      expect(read.map(({ n, list }) => [n, list])).toEqual([
        [9_007_199_254_740_993n, [1, 2]],
        [5n, []],
      ]);
      resolve();
    });
    decoder.end(bytes);
  }).then(() => {
    expect(rows.isFor(structSchema(big.fields!.map(({ name, schema: field }) => [name, { ...field }])))).toBe(true);
    expect(rows.isFor(STRUCT)).toBe(false);
  });
});

test('analytics-sink 23: null in a field with a default is the default, in Avro as in JSON', () => {
  const defaults: readonly [type: Schema, value: unknown, written: unknown][] = [
    [schema('INT64', { default: 5 }), 5, 5n],
    [schema('INT64', { optional: true, default: 9_007_199_254_740_993n }), null, 9_007_199_254_740_993n],
    [timestampSchema({ default: new Date(7) }), null, 7n],
    [dateSchema({ default: new Date(86_400_000) }), null, 1],
    [decimalSchema(2, { default: { unscaled: 150n, scale: 2 } }), null, '1.50'],
    [schema('BYTES', { default: Buffer.from('x') }), null, Buffer.from('x')],
    [arraySchema(schema('INT64'), { default: [1, 2] }), null, [1n, 2n]],
    [schema('STRING', { default: 'd' }), null, 'd'],
    [schema('INT32', { optional: true }), null, null],
  ];
  const of = structSchema(defaults.map(([type], i) => [`f${i}`, type]));
  const nulls = Object.fromEntries(defaults.map((_, i) => [`f${i}`, null]));
  expect(avroValue(of, nulls)).toEqual(Object.fromEntries(defaults.map(([, , written], i) => [`f${i}`, written])));
  expect(new AvroRows(of).add(of, nulls)).toBeGreaterThan(0);
  expect(text('json', sinkRecord(nulls, { valueSchema: of }))).toBe(
    '{"f0":5,"f1":9007199254740993,"f2":7,"f3":1,"f4":1.50,"f5":"eA==","f6":[1,2],"f7":"d","f8":null}\n',
  );
});

test.each(['json', 'avro'])(
  'a date beyond JavaScript’s range is that record’s error in %s: the file continues without it',
  async (name) => {
    const valueSchema = structSchema([
      ['id', schema('INT32')],
      ['at', structSchema([['when', timestampSchema()]])],
    ]);
    const record = (id: number, ms: number): SinkRecord =>
      sinkRecord({ id, at: { when: new Date(ms) } }, { valueSchema, offset: id });
    const folder = await mkdtemp(join(tmpdir(), 'millrace-rows-'));
    const sealed: Sealed[] = [];
    const settings = {
      ...PLAIN,
      flushBytes: 1e6,
      flushIntervalMs: 1e6,
      deadLetters: null,
    } as unknown as AnalyticsSettings;
    const mapping = { format: findFormat(name) } as TableMapping;
    const onSealing = (one: Promise<Sealed>): void => void one.then((file) => sealed.push(file));
    const batcher = new PartitionBatcher({
      metrics: { recordsWritten: { add: () => undefined } },
      folder,
      topic: 't',
      partition: 0,
      mapping,
      settings,
      buffers: new RowBuffers(),
      onSealing,
      now: () => 0,
    });
    try {
      await batcher.add(record(1, 5));
      await expect((async () => await batcher.add(record(2, 9223372036825200000)))()).rejects.toMatchObject({
        code: 'ANALYTICS_RECORD',
        message: expect.stringMatching(/^The value cannot be written as \w+: at\.when: the date is invalid, /),
        place: { topic: 't', partition: 0, offset: 2 },
      });
      await batcher.add(record(3, 6));
      await batcher.seal();
      expect(sealed).toHaveLength(1);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

test('analytics-sink 24, 25: bytes of a binary format are a separate file, unchanged', () => {
  const bytes = Buffer.from([0x4f, 0x62, 0x6a, 1, 0xff]);
  for (const format of ['avro', 'apacheAvro', 'parquet', 'orc', 'sstream', 'raw'])
    expect(row(format, sinkRecord(bytes))).toEqual({ kind: 'file', bytes });
});

test('analytics-sink 26: bytes of text formats get a line end, regardless of the topic’s name', () => {
  expect(text('csv', sinkRecord(Buffer.from('x,1'), { topic: 'avro-logs' }))).toBe('x,1\n');
  expect(text('json', sinkRecord(Buffer.from('{"a":1}')))).toBe('{"a":1}\n');
});

test('analytics-sink 27: a tombstone is skipped', () => {
  expect(row('csv', sinkRecord(null))).toEqual({ kind: 'skip' });
  expect(row('avro', sinkRecord(null, { valueSchema: STRUCT }))).toEqual({ kind: 'skip' });
});

test('analytics-sink 28: invalid JSON is rejected, as text and as bytes, unless validation is disabled', () => {
  const refused = expect.objectContaining({ code: 'ANALYTICS_RECORD' }) as Error;
  expect(() => row('json', sinkRecord('{"a":'))).toThrow(refused);
  expect(() => row('json', sinkRecord(Buffer.from('{"a":')))).toThrow(refused);
  expect(text('json', sinkRecord('{"a":'), { ...PLAIN, validateJson: false })).toBe('{"a":\n');
  expect(text('json', sinkRecord('{\n"a": 1}'))).toBe('{\n"a": 1}\n');
});

describe('analytics-sink 28: a message of a JSON format with several documents, or none', () => {
  const bytes = (content: string): Buffer => Buffer.from(content);

  test.each([
    ['in one line', '{"a":1}{"a":2}', '{"a":1}\n{"a":2}\n'],
    ['in lines', '{"a":"}\\"{"}\n\n{"a":2}\r\n', '{"a":"}\\"{"}\n{"a":2}\n'],
    ['an object and an array', ' {"a":[{}]} [{"a":2}]', '{"a":[{}]}\n[{"a":2}]\n'],
  ])('%s: each is a row', (_, content, expected) => {
    expect(text('json', sinkRecord(content))).toBe(expected);
    expect(text('multijson', sinkRecord(bytes(content)))).toBe(expected);
  });

  test.each(['', ' ', '\r\n\t'])('blank (%j): no row', (content) => {
    expect(text('json', sinkRecord(content))).toBe('skip');
    expect(text('multijson', sinkRecord(bytes(content)))).toBe('skip');
  });

  test('metadata becomes members of each document', () => {
    const settings: RowSettings = { validateJson: false, metadataColumns: ['offset'] };
    expect(text('json', sinkRecord('{"a":1}{}'), settings)).toBe(
      '{"a":1,"kafkamd":{"offset":7}}\n{"kafkamd":{"offset":7}}\n',
    );
  });

  test.each([
    '{"a":1}{"a":',
    '{"a":1},{"a":2}',
    '{"a":1}x',
    '{"a":1}]',
    '{"a":1} 5',
    '1 2',
    '}{',
    '{a:1}{}',
    '"a" "b"',
  ])('%s is rejected', (content) => {
    const refused = expect.objectContaining({ code: 'ANALYTICS_RECORD' }) as Error;
    expect(() => row('json', sinkRecord(content))).toThrow(refused);
    expect(() => row('json', sinkRecord(bytes(content)))).toThrow(refused);
  });

  test('without validation, text is unchanged, as from Java', () => {
    const settings = { ...PLAIN, validateJson: false };
    expect(text('json', sinkRecord('{"a":1}{"a":2}'), settings)).toBe('{"a":1}{"a":2}\n');
    expect(text('json', sinkRecord(''), settings)).toBe('\n');
  });
});

describe('analytics-sink 30: bytes that are not UTF-8', () => {
  const latin1 = Buffer.from('{"a":"é"}', 'latin1');
  const settings: RowSettings = { validateJson: false, metadataColumns: ['offset'] };

  test('are an error of a JSON row', () => {
    const refused = expect.objectContaining({ code: 'ANALYTICS_RECORD' }) as Error;
    expect(() => row('json', sinkRecord(latin1))).toThrow(refused);
    expect(() => row('json', sinkRecord(latin1), settings)).toThrow(refused);
  });

  test('stay as they are in other files, also with metadata', () => {
    const rows = [
      row('csv', sinkRecord(latin1)),
      row('csv', sinkRecord(latin1), settings),
      row('txt', sinkRecord(latin1), settings),
      row('json', sinkRecord(latin1), { ...PLAIN, validateJson: false }),
      row('raw', sinkRecord(latin1)),
    ];
    expect(rows.map((one) => 'bytes' in one && one.bytes.toString('latin1'))).toEqual([
      '{"a":"é"}\n',
      '{"a":"é"},7\n',
      '{"a":"é"}\n',
      '{"a":"é"}\n',
      '{"a":"é"}',
    ]);
  });
});

test.each(['', '\n', '\r\n\n'])('analytics-sink 20: a message of empty lines (%j) has no row of txt', (content) => {
  expect(text('txt', sinkRecord(content))).toBe('skip');
  expect(text('txt', sinkRecord(Buffer.from(content)))).toBe('skip');
  // The service decides what an empty line of the others is.
  expect(text('csv', sinkRecord(content))).toBe(`${content}\n`);
  expect(text('txt', sinkRecord(`${content} `))).toBe(`${content} \n`);
});

test('analytics-sink 29: numbers and booleans are lines', () => {
  expect(text('csv', sinkRecord(5, { valueSchema: schema('INT32') }))).toBe('5\n');
  expect(text('csv', sinkRecord(true))).toBe('true\n');
  expect(text('csv', sinkRecord(9_007_199_254_740_993n, { valueSchema: schema('INT64') }))).toBe('9007199254740993\n');
  expect(text('json', sinkRecord([1, 'x'], { valueSchema: arraySchema(schema('INT32')) }))).toBe('[1,"x"]\n');
});

test('analytics-sink 31: metadata becomes members of JSON rows; existing members are kept', () => {
  const settings: RowSettings = {
    validateJson: true,
    metadataColumns: ['key', 'headers', 'topic', 'partition', 'offset', 'timestamp'],
  };
  const from = { key: '{"id":1}', timestamp: 5, headers: [{ key: 'h', schema: null, value: 'v' }] };
  expect(JSON.parse(text('json', sinkRecord('{"a":1 } ', from), settings))).toEqual({
    a: 1,
    keys: { id: 1 },
    headers: { h: 'v' },
    kafkamd: { topic: 't', partition: 0, offset: 7, timestamp: 5 },
  });
  expect(text('json', sinkRecord('{}', from), { ...settings, metadataColumns: ['offset'] })).toBe(
    '{"kafkamd":{"offset":7}}\n',
  );
  expect(text('json', sinkRecord('{"kafkamd":"mine"}'), { ...settings, metadataColumns: ['offset'] })).toBe(
    '{"kafkamd":"mine"}\n',
  );
  expect(text('json', sinkRecord('[1]'), settings)).toBe('[1]\n');
});

test('analytics-sink 31: metadata becomes fields of delimited rows, quoted where necessary', () => {
  const settings: RowSettings = { validateJson: true, metadataColumns: ['offset', 'key', 'headers'] };
  expect(text('csv', sinkRecord('x,1', { key: 'a,"b"' }), settings)).toBe('x,1,7,"a,""b""",{}\n');
  expect(text('psv', sinkRecord(Buffer.from('x|1'), { key: Buffer.from('k') }), settings)).toBe('x|1|7|aw==|{}\n');
});

describe('analytics-sink 31: each row of a delimited message has the metadata', () => {
  const settings: RowSettings = { validateJson: true, metadataColumns: ['offset', 'key'] };

  test.each([
    ['csv', 'x,1\n', 'x,1,7,k\n'],
    ['csv', 'x,1\r\n', 'x,1,7,k\n'],
    ['csv', 'x,1\n\ny,2', 'x,1,7,k\ny,2,7,k\n'],
    ['csv', '"a\nb ""c""",1\n5"\n', '"a\nb ""c""",1,7,k\n5",7,k\n'],
    ['scsv', 'x;"1\n"\n', 'x;"1\n";7;k\n'],
    ['tsve', 'x\t"\ny\t1\n', 'x\t"\t7\tk\ny\t1\t7\tk\n'],
    ['csv', '', ',7,k\n'],
    ['csv', '\n', ',7,k\n'],
  ])('%s: %j', (format, content, expected) => {
    expect(text(format, sinkRecord(content, { key: 'k' }), settings)).toBe(expected);
    expect(text(format, sinkRecord(Buffer.from(content), { key: 'k' }), settings)).toBe(expected);
  });

  test('a field of tsve is escaped rather than quoted', () => {
    expect(text('tsve', sinkRecord('x', { key: 'a\tb\\c\n"' }), settings)).toBe('x\t7\ta\\tb\\\\c\\n"\n');
  });
});

test('analytics-sink 23: records whose schemas differ in names or defaults that Avro does not show keep their values', () => {
  const first = structSchema([['a.b', schema('STRING')]]);
  const second = structSchema([['a_b', schema('STRING', { default: 'second' })]]);
  const rows = new AvroRows(first);
  rows.add(first, { 'a.b': 'x' });
  expect(rows.isFor(second)).toBe(true);
  rows.add(second, { a_b: 'y' });
  rows.add(second, {});
  expect(rows.block(true).toString('latin1')).toContain('\u0002x\u0002y\u000csecond');
});

test('values as JSON: dates and decimals as numbers, maps with non-string keys as pairs', () => {
  const decimal = schema('BYTES', { name: LogicalName.DECIMAL });
  expect(jsonText(decimal, { unscaled: -5n, scale: 2 })).toBe('-0.05');
  expect(jsonText(decimal, { unscaled: 5n, scale: -2 })).toBe('500');
  expect(jsonText(schema('INT32', { name: LogicalName.DATE }), new Date(-1))).toBe('-1');
  expect(jsonText(schema('BYTES'), Buffer.from('x'))).toBe('"eA=="');
  expect(jsonText(mapSchema(schema('STRING'), schema('INT32')), new Map([['a', 1]]))).toBe('{"a":1}');
  expect(jsonText(mapSchema(schema('INT32'), schema('INT32')), new Map([[2, 1]]))).toBe('[[2,1]]');
  expect(jsonText(null, NaN)).toBe('"NaN"');
});
