import {
  ConfigError,
  ConnectError,
  converterReady,
  convertWhenReady,
  isConfigError,
  isRetriable,
  schema,
  type SinkRecord,
  type SourceRecord,
  structSchema,
} from '@millrace/sdk';
import { silentLogger } from '../../../src/logging/logger';
import { DataReader } from '../../../packages/java-host/src/data/data-reader';
import { DataWriter } from '../../../packages/java-host/src/data/data-writer';
import { javaPredicate, javaTransformation } from '../../../packages/java-host/src/elements/java-transformation';
import { ByteReader } from '../../../packages/java-host/src/wire/byte-reader';
import { ByteWriter } from '../../../packages/java-host/src/wire/byte-writer';
import type { HostValue } from '../../../packages/java-host/src/wire/host-value';
import { JavaError } from '../../../packages/java-host/src/wire/java-error';
import { readValue, writeValue } from '../../../packages/java-host/src/wire/values';
import { ProtocolError } from '../../../packages/java-host/src/wire/protocol-error';
import { MAX_RECORD } from '../../../packages/java-host/src/wire/too-large';
import { type Answer, scriptedElement } from './scripted-session';

const DATA_EXCEPTION = 'org.apache.kafka.connect.errors.DataException';

const ROW = structSchema([['id', schema('INT32')]], { name: 'Row' });

const SOURCE: SourceRecord = {
  sourcePartition: { file: 'a' },
  sourceOffset: { line: 1 },
  topic: 't',
  keySchema: null,
  key: null,
  valueSchema: ROW,
  value: { id: 1 },
  timestamp: 5,
  headers: [{ key: 'h', schema: schema('STRING'), value: 'x' }],
};

const SINK: SinkRecord = {
  topic: 't',
  partition: 2,
  offset: 7,
  originalTopic: 't',
  originalPartition: 2,
  originalOffset: 7,
  keySchema: null,
  key: null,
  valueSchema: ROW,
  value: { id: 1 },
  timestamp: null,
  timestampType: 'CreateTime',
  headers: [],
};

/** Reads a record and answers with it, with another topic and value. */
function jvm() {
  const [reader, writer] = [new DataReader(), new DataWriter()];
  const seen: unknown[] = [];
  const answer = (method: string, [bytes]: readonly HostValue[]): HostValue => {
    const input = new ByteReader(bytes as Buffer);
    const record = {
      topic: readValue(input),
      partition: readValue(input),
      timestamp: readValue(input),
      key: reader.read(input),
      value: reader.read(input),
      headers: Array.from({ length: input.i32() }, () => ({ key: input.string(), ...reader.read(input) })),
    };
    seen.push({ method, ...record, rest: Buffer.from(input.raw(input.left)).toString('hex') });
    const out = new ByteWriter();
    writeValue(out, `${String(record.topic)}-2`);
    writeValue(out, record.partition);
    writeValue(out, record.timestamp);
    writer.write(out, record.key.schema, record.key.value);
    writer.write(out, ROW, { id: (record.value.value as { id: number }).id + 1 });
    out.i32(record.headers.length);
    for (const { key, schema: of, value } of record.headers) {
      out.string(key);
      writer.write(out, of, value);
    }
    return out.take();
  };
  return { answer, seen };
}

function configured(element: Parameters<typeof javaTransformation>[0]) {
  const transformation = javaTransformation(element).create();
  transformation.configure({ a: 'b' });
  return transformation;
}

test('the first call opens the session and waits; the second one returns the changed record', async () => {
  const { answer, seen } = jvm();
  const element = scriptedElement(answer);
  const transformation = configured(element);
  expect(element.sessions).toEqual([]);
  const result = await convertWhenReady(() => transformation.apply(SOURCE));
  expect(result).toEqual({ ...SOURCE, topic: 't-2', partition: null, value: { id: 2 } });
  expect(result?.sourcePartition).toBe(SOURCE.sourcePartition);
  expect(element.sessions.map(({ session }) => session)).toEqual([
    { kind: 'transformation', class: 'com.example.Element', settings: { a: 'b' }, records: 'source' },
  ]);
  expect(seen).toHaveLength(1);
  // What follows in the chain may have to wait, too: the record comes again.
  expect(transformation.apply(SOURCE)).toBe(result);
  const copy = { ...SOURCE };
  await convertWhenReady(() => transformation.apply(copy));
  expect(seen).toHaveLength(2);
});

test('a session has the names of its task, and the alias', async () => {
  const element = scriptedElement(() => null);
  const transformation = javaTransformation(element).create();
  transformation.configure({}, { logger: silentLogger, owner: { connector: 'c', task: 3 }, alias: 'lookup' });
  await convertWhenReady(() => transformation.apply(SOURCE));
  expect(element.sessions[0]?.session).toMatchObject({ connector: 'c', task: 3, alias: 'lookup' });
});

test('a sink record keeps where it was consumed', async () => {
  const { answer, seen } = jvm();
  const transformation = configured(scriptedElement(answer));
  const result = await convertWhenReady(() => transformation.apply(SINK));
  expect(result).toEqual({ ...SINK, topic: 't-2', value: { id: 2 } });
  expect(seen[0]).toMatchObject({
    rest: '0000000000000007' + '01' + '0000000174' + '00000002' + '0000000000000007',
  });
});

test('a sink that consumes the record again gets the answer of the call that it gave up to wait for', async () => {
  const { answer, seen } = jvm();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const element = scriptedElement(async (...call) => {
    await released;
    return answer(...call);
  });
  const transformation = configured(element);
  const ready = readyOf(() => transformation.apply(SINK));
  // Of another partition, which the sink has got meanwhile.
  const other = { ...SINK, originalPartition: 3 };
  const second = readyOf(() => transformation.apply(other));
  const again = { ...SINK };
  expect(readyOf(() => transformation.apply(again))).toBe(ready);
  release();
  await Promise.all([ready, second]);
  expect(transformation.apply(again)).toMatchObject({ topic: 't-2', originalPartition: 2 });
  expect(transformation.apply({ ...other })).toMatchObject({ topic: 't-2', originalPartition: 3 });
  expect(seen).toHaveLength(2);
  // What it has got it may have changed.
  await convertWhenReady(() => transformation.apply({ ...SINK }));
  expect(seen).toHaveLength(3);
});

test('a JVM that does not answer is asked a few questions at most', async () => {
  let calls = 0;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const element = scriptedElement(async () => {
    calls++;
    await released;
    return null;
  });
  const transformation = configured(element);
  const waits = Array.from({ length: 100 }, (_, i) =>
    readyOf(() => transformation.apply({ ...SINK, originalOffset: i })),
  );
  release();
  await Promise.all(waits);
  expect(calls).toBe(16);
  expect(await wait(() => transformation.apply({ ...SINK, originalOffset: 99 }))).toBeNull();
});

test('what is waited for names the call, the class and the alias', () => {
  const transformation = javaTransformation(scriptedElement(() => null)).create();
  transformation.configure({}, { logger: silentLogger, alias: 'lookup' });
  expect(thrown(() => transformation.apply(SOURCE))).toMatchObject({ call: 'apply() of com.example.Element (lookup)' });
});

test('null filters the record', async () => {
  const transformation = configured(scriptedElement(() => null));
  expect(await convertWhenReady(() => transformation.apply(SOURCE))).toBeNull();
});

test("an exception of the plugin is the record's, and another attempt asks again", async () => {
  let calls = 0;
  const error = new JavaError('org.apache.kafka.connect.errors.DataException', 'no', 'data', [], null);
  const element = scriptedElement(() => {
    if (++calls === 1) throw error;
    return null;
  });
  const transformation = configured(element);
  await expect(wait(() => transformation.apply(SOURCE))).rejects.toBe(error);
  expect(await convertWhenReady(() => transformation.apply(SOURCE))).toBeNull();
  expect(calls).toBe(2);
  expect(element.sessions).toHaveLength(1);
});

test('a value that cannot be sent is the error of its record, and the next one is sent', async () => {
  const { answer, seen } = jvm();
  const transformation = configured(scriptedElement(answer));
  const broken = { ...SOURCE, key: 'k', keySchema: schema('STRING', { name: 'K' }), value: { id: 'x' } };
  await expect(convertWhenReady(() => transformation.apply(broken))).rejects.toMatchObject({ code: 'JAVA_DATA' });
  const next = { ...broken, value: { id: 3 } };
  expect(await convertWhenReady(() => transformation.apply(next))).toMatchObject({ key: 'k', value: { id: 4 } });
  expect(seen).toHaveLength(1);
});

test('a record that is too large for a message is the error of its record, and the next one is sent', async () => {
  const { answer, seen } = jvm();
  const element = scriptedElement(answer);
  const transformation = configured(element);
  const large = { ...SOURCE, keySchema: schema('BYTES'), key: Buffer.alloc(MAX_RECORD) };
  const reason: unknown = await wait(() => transformation.apply(large)).catch((error: unknown) => error);
  expect(reason).toMatchObject({ code: 'JAVA_TOO_LARGE', retriable: false, javaClass: DATA_EXCEPTION });
  expect((reason as Error).message).toMatch(
    /^The record needs at least 25\d{7} bytes on its way to the JVM, which takes 251658240 at once\.$/,
  );
  // Its schema is defined again.
  const next = { ...large, key: Buffer.from('k') };
  expect(await convertWhenReady(() => transformation.apply(next))).toMatchObject({ topic: 't-2' });
  expect(seen).toMatchObject([{ key: { value: Buffer.from('k') } }]);
  expect(element.sessions).toHaveLength(1);
});

test('the end of the JVM makes the task wait, and a new session starts anew', async () => {
  const { answer } = jvm();
  let calls = 0;
  const element = scriptedElement((...call) => {
    if (++calls > 1) return answer(...call);
    element.sessions[0]?.end(new ConnectError('The JVM ended.', { code: 'JVM_ENDED' }));
    return new Promise(() => undefined);
  });
  const transformation = configured(element);
  const ready = readyOf(() => transformation.apply(SOURCE));
  const reason: unknown = await ready.catch((error: unknown) => error);
  expect(isRetriable(reason)).toBe(true);
  expect(reason).toMatchObject({ code: 'JVM_ENDED', message: expect.stringContaining('The JVM ended.') });
  expect(await convertWhenReady(() => transformation.apply(SOURCE))).toMatchObject({ value: { id: 2 } });
  expect(element.sessions).toHaveLength(2);
});

test.each([
  ['JVM_START_FAILED', new ConnectError('No memory.', { code: 'JVM_START_FAILED' }), 'retriable'],
  ['no Java', new ConnectError('No Java.', { code: 'JAVA_MISSING' }), 'config'],
  [
    'a refused setting',
    new JavaError('org.apache.kafka.common.config.ConfigException', 'bad', 'config', [], null),
    'config',
  ],
  ['a broken class', new JavaError('java.lang.NoClassDefFoundError', 'x/Y', 'other', [], null), 'config'],
  ['a config error', new ConfigError('Too large.', { code: 'JVM_HEAP_LIMIT' }), 'config'],
])('a session that cannot be opened: %s', async (_, error, kind) => {
  const transformation = configured(
    scriptedElement(
      () => null,
      () => Promise.reject(error),
    ),
  );
  const reason: unknown = await readyOf(() => transformation.apply(SOURCE)).catch((one: unknown) => one);
  expect({ retriable: isRetriable(reason), config: isConfigError(reason) }).toEqual({
    retriable: kind === 'retriable',
    config: kind === 'config',
  });
});

test.each<[string, Answer]>([
  ['an answer that has no end', () => Buffer.from([255])],
  ['an answer that is no record', () => 'text'],
  ['a message that is none', () => Promise.reject(new ProtocolError('it ends too early'))],
])('%s fails the task, whatever it tolerates: another JVM would say the same', async (_, answer) => {
  const element = scriptedElement(answer);
  const transformation = configured(element);
  const reason: unknown = await wait(() => transformation.apply(SOURCE)).catch((error: unknown) => error);
  expect(reason).toMatchObject({ code: 'JAVA_HOST_PROTOCOL', message: expect.stringContaining('cannot be read') });
  expect({ config: isConfigError(reason), retriable: isRetriable(reason) }).toEqual({ config: true, retriable: false });
});

test('an answer that cannot be read ends the session: later bytes would mean something else', async () => {
  const element = scriptedElement(() => Buffer.from([255]));
  const transformation = configured(element);
  await expect(wait(() => transformation.apply(SOURCE))).rejects.toThrow('cannot be read');
  expect(element.sessions[0]?.isClosed).toBe(true);
});

test('a record without a topic is the error of its record, in a session that goes on', async () => {
  const out = new ByteWriter();
  for (let i = 0; i < 3; i++) writeValue(out, null);
  new DataWriter().write(out, null, null);
  new DataWriter().write(out, null, null);
  out.i32(0);
  const bytes = out.take();
  const element = scriptedElement(() => bytes);
  const transformation = configured(element);
  await expect(wait(() => transformation.apply(SOURCE))).rejects.toMatchObject({ code: 'JAVA_DATA' });
  expect(element.sessions[0]?.isClosed).toBe(false);
});

test('close ends the session, also one that is being opened', async () => {
  let open: () => void = () => undefined;
  const element = scriptedElement(
    () => null,
    (session) => new Promise((resolve) => (open = () => resolve(session))),
  );
  const transformation = configured(element);
  const ready = readyOf(() => transformation.apply(SOURCE));
  transformation.close?.();
  open();
  await ready.catch(() => undefined);
  expect(element.sessions[0]?.isClosed).toBe(true);
});

test('close without a record opens nothing', () => {
  const element = scriptedElement(() => null);
  configured(element).close?.();
  expect(element.sessions).toEqual([]);
});

test('a predicate answers with a boolean', async () => {
  const element = scriptedElement((method) => method === 'test');
  const predicate = javaPredicate(element).create();
  predicate.configure({ pattern: 'x' });
  expect(await convertWhenReady(() => predicate.test(SINK))).toBe(true);
  expect(element.sessions[0]?.session).toMatchObject({ kind: 'predicate', records: 'sink' });
});

function thrown(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return null;
}

/** What the first call waits for. */
function readyOf(call: () => unknown): Promise<unknown> {
  try {
    call();
  } catch (error) {
    const ready = converterReady(error);
    if (ready !== null) return ready;
    throw error;
  }
  throw new Error('The call did not wait.');
}

async function wait<T>(call: () => T): Promise<T> {
  return await convertWhenReady(call);
}
