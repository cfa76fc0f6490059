import { schema, type SourceRecord } from '@millrace/sdk';
import { CollectedRecords } from '../../../src/cli/verbs/preview/run-task';
import { parseOffsets, PreviewOffsets } from '../../../src/cli/verbs/preview/preview-offsets';
import { yamlDocument } from '../../../packages/cli/src/output/answer';
import { exitCode, recordPrinter, summary, type SummaryInput } from '../../../src/cli/verbs/preview/report';
import type { ReadProduced } from '../../../src/cli/verbs/preview/preview-registry';
import {
  jsonLine,
  plainText,
  shownBytes,
  type ShownRecord,
  shownRecord,
} from '../../../src/cli/verbs/preview/shown-record';
import type { ProducerRecord } from '../../../packages/kafka-client/src/port';

const SOURCE = { connector: 'c', partitionOrder: 'hash-map' } as const;
const polled = (over: Partial<SourceRecord> = {}): SourceRecord => ({
  sourcePartition: { server: 's' },
  sourceOffset: { lsn: 9007199254740993n, last: true },
  topic: 't',
  keySchema: null,
  key: null,
  valueSchema: schema('STRING'),
  value: 'v',
  ...over,
});
const record = (value: string | Buffer | null, over: Partial<ProducerRecord> = {}): ProducerRecord => ({
  topic: 't',
  key: null,
  value: value === null ? null : Buffer.from(value),
  ...over,
});

describe('a shown record', () => {
  test('JSON keeps the digits of its numbers, text stays text, other bytes are base64', () => {
    const shown = shownRecord(
      record('{"n":12345678901234567890,\r\n"d":1.10}', {
        key: Buffer.from('12'),
        partition: 3,
        timestamp: 7,
        headers: [
          { key: 'h', value: Buffer.from([0xff]) },
          { key: 'none', value: null },
        ],
      }),
      polled(),
      SOURCE,
    );
    const line = jsonLine(shown);
    expect(line).toBe(
      '{"topic":"t","partition":3,"timestamp":7,"key":"12","value":{"n":12345678901234567890, "d":1.10},' +
        '"headers":[{"key":"h","value":"/w==","valueEncoding":"base64"},{"key":"none","value":null}],' +
        '"sourcePartition":{"server":"s"},"sourceOffset":{"lsn":9007199254740993,"last":true}}\n',
    );
    expect(yamlDocument(jsonLine(shown))).toContain('n: 12345678901234567890');
    expect(shown.bytes).toBe(37 + 2 + 1 + 1 + 4);
  });

  test('bytes are copied, a null value and a null offset are null', () => {
    const bytes = Buffer.from('abc');
    const shown = shownRecord(record(bytes), polled({ sourceOffset: null, sourcePartition: null }), SOURCE);
    bytes.fill(0);
    expect([shown.value, shown.key, shown.sourcePartition, shown.sourceOffset]).toEqual([
      { kind: 'text', text: 'abc' },
      { kind: 'null' },
      'null',
      'null',
    ]);
  });

  test('an offset that cannot be stored is refused, as in a worker', () => {
    const sourceOffset = { at: { n: 1 } } as unknown as SourceRecord['sourceOffset'];
    expect(() => shownRecord(record('v'), polled({ sourceOffset }), SOURCE)).toThrow(/primitive types/);
  });

  test('for people: the payload of JSON with a schema', () => {
    const text = (value: string): string => plainText(shownBytes(Buffer.from(value)));
    expect(text('{"schema":{"type":"int64"},"payload":{"id":9007199254740993}}')).toBe('{"id":9007199254740993}');
    expect(text('{"schema":1,"payload":2,"more":3}')).toBe('{"schema":1,"payload":2,"more":3}');
    expect(text('{not json')).toBe('{not json');
  });
});

describe('the table', () => {
  test('cuts long cells and removes what a terminal would interpret', () => {
    let out = '';
    const printer = recordPrinter('table', { write: (text: string) => (out += text) });
    printer.add(shownRecord(record(`\u001b[2J${'x'.repeat(200)}`), polled(), SOURCE));
    expect(printer.end()).toBe(true);
    expect(out).not.toContain('\u001b');
    expect(out.split('\n')[0]).toBe(`TOPIC  PARTITION  KEY   VALUE${' '.repeat(95)}  SOURCE OFFSET`);
    expect(out).toContain('x…');
  });

  test('has headers only if a record has', () => {
    let out = '';
    const printer = recordPrinter('table', { write: (text: string) => (out += text) });
    printer.add(shownRecord(record('v', { headers: [{ key: 'h', value: Buffer.from('1') }] }), polled(), SOURCE));
    expect(printer.end()).toBe(false);
    expect(out).toMatch(/VALUE {2}HEADERS {2}SOURCE OFFSET\n.*v {6}h=1/);
  });
});

describe('collected records', () => {
  const collect = (limit: number, maxBytes?: number): { shown: unknown[]; collected: CollectedRecords } => {
    const shown: unknown[] = [];
    const onShown = (one: unknown): void => void shown.push(one);
    return { shown, collected: new CollectedRecords({ limit, source: SOURCE, read: null, onShown, maxBytes }) };
  };
  test('end at the limit', async () => {
    const { shown, collected } = collect(2);
    expect(collected.whenReady()).toBeNull();
    for (const value of ['a', 'b', 'c']) collected.onRecord(record(value), polled());
    await collected.enough;
    expect([shown.length, collected.count, collected.isTooLarge]).toEqual([2, 2, false]);
    expect(collected.whenReady()).toBeInstanceOf(Promise);
  });
  test('end with the record that exceeds the size', async () => {
    const { collected } = collect(10, 5);
    for (const value of ['abc', 'abc', 'abc']) collected.onRecord(record(value), polled());
    await collected.enough;
    expect([collected.count, collected.isTooLarge]).toEqual([2, true]);
  });
});

describe('collected records in a format of a registry', () => {
  const collect = (read: ReadProduced) => {
    const shown: ShownRecord[] = [];
    return {
      shown,
      collected: new CollectedRecords({ limit: 2, source: SOURCE, read, onShown: (r) => shown.push(r) }),
    };
  };
  test('the next one waits until the last one is read; they are shown as JSON', async () => {
    const { shown, collected } = collect(async () => ({ key: null, value: '{"id":12345678901234567890}' }));
    for (const value of ['a', 'b']) {
      collected.onRecord(record(value), polled());
      await collected.whenReady();
    }
    await collected.enough;
    expect(shown.map((one) => [one.key.kind, one.value])).toEqual([
      ['null', { kind: 'json', text: '{"id":12345678901234567890}' }],
      ['null', { kind: 'json', text: '{"id":12345678901234567890}' }],
    ]);
  });
  test('what cannot be read is shown as bytes', async () => {
    const { shown, collected } = collect(async () => Promise.reject(new Error('no schema')));
    collected.onRecord(record('a'), polled());
    await collected.whenReady();
    expect(shown[0]?.value).toEqual({ kind: 'text', text: 'a' });
  });
});

describe('offsets', () => {
  test('from the answer of the REST API; integers are exact, member order does not matter', async () => {
    const text = '{"offsets":[{"partition":{"a":1,"b":"x"},"offset":{"lsn":9007199254740993}}]}';
    const offsets = new PreviewOffsets(parseOffsets(Buffer.from(text), 'o.json'));
    expect(await offsets.read('c', [{ b: 'x', a: 1 }, { a: 2 }])).toEqual([{ lsn: 9007199254740993n }, null]);
    await offsets.write('c', [[{ a: 1, b: 'x' }, null]]);
    expect(await offsets.read('c', [{ a: 1, b: 'x' }])).toEqual([null]);
  });
  test.each([
    ['{', 'unexpected end of JSON text|expected'],
    ['[]', 'no list "offsets"'],
    ['{"offsets":[{"partition":1}]}', 'entry 1'],
    ['{"offsets":[7]}', 'entry 1'],
    ['{"offsets":[{"partition":{"a":{}},"offset":{}}]}', 'primitive'],
  ])('refuses %s', (text, why) => {
    expect(() => parseOffsets(Buffer.from(text), 'o.json')).toThrow(
      new RegExp(`^Cannot read offsets from o\\.json: .*(${why})`),
    );
  });
});

describe('the summary', () => {
  const input = (over: Partial<SummaryInput>, counts: Partial<SummaryInput['collected']> = {}): SummaryInput => ({
    end: 'enough',
    collected: { count: 3, skipped: 0, failed: 0, failures: [], ...counts },
    discarded: 0,
    task: 0,
    tasks: 1,
    timeoutMs: 30_000,
    idleMs: 5000,
    isCut: false,
    inMemory: false,
    ...over,
  });
  test('says that schemas went to a registry in memory', () => {
    expect(summary(input({ inMemory: true }))).toEqual([
      '3 records of task 0.',
      'Schemas went to a registry in memory: whether yours accepts them is not known.',
      'Nothing was written.',
    ]);
  });
  test('says what is not shown', () => {
    const failures = [{ stage: 'TRANSFORMATION', className: 'X', error: new Error('no field "a"') }];
    expect(summary(input({ isCut: true, tasks: 4, discarded: 2 }, { skipped: 5, failed: 2, failures }))).toEqual([
      '3 records of task 0 (of 4 tasks, see --task).',
      '2 records skipped because of errors (errors.tolerance=all):',
      '  TRANSFORMATION with X: no field "a"',
      '  and 1 more',
      '3 records dropped by transformations.',
      'Not shown: 2 records that the task sends with producers of its own.',
      'Long values are cut; -o json shows them whole.',
      'Nothing was written.',
    ]);
  });
  test('says why it ended', () => {
    const ends = (['quiet', 'too large', 'failed'] as const).map((end) => summary(input({ end }, { failed: 1 }))[1]);
    expect(ends).toEqual([
      'No further record within 5 s (--idle).',
      'Stopped: the records have more than 16 MiB.',
      'The task failed, as it would in a worker.',
    ]);
    expect(summary(input({ end: 'quiet' }, { count: 0 }))[0]).toBe('No record within 30 s (--timeout).');
  });
  test('exit codes', () => {
    expect([exitCode('enough', 1), exitCode('quiet', 1), exitCode('quiet', 0), exitCode('failed', 1)]).toEqual([
      0, 0, 5, 1,
    ]);
    expect(exitCode('interrupted', 1)).toBe(130);
  });
});
