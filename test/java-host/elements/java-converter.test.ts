import { convertWhenReady, converterReady, schema, structSchema } from '@millrace/sdk';
import { DataReader } from '../../../packages/java-host/src/data/data-reader';
import { DataWriter } from '../../../packages/java-host/src/data/data-writer';
import { javaConverter, javaHeaderConverter } from '../../../packages/java-host/src/elements/java-converter';
import { ByteReader } from '../../../packages/java-host/src/wire/byte-reader';
import { ByteWriter } from '../../../packages/java-host/src/wire/byte-writer';
import type { HostValue } from '../../../packages/java-host/src/wire/host-value';
import { scriptedElement } from './scripted-session';

const TEXT = schema('STRING');
const ROW = structSchema([['id', schema('INT32')]], { name: 'Row' });

/** Converts data to JSON of its value, and bytes to their text. */
function jvm() {
  const [reader, writer] = [new DataReader(), new DataWriter()];
  const calls: [string, ...unknown[]][] = [];
  const answer = (method: string, args: readonly HostValue[]): HostValue => {
    if (method.startsWith('from')) {
      const { value } = reader.read(new ByteReader(args.at(-1) as Buffer));
      calls.push([method, ...args.slice(0, -1), value]);
      return value === null ? null : Buffer.from(JSON.stringify(value));
    }
    calls.push([method, ...args]);
    const bytes = args[method === 'toConnectData' ? 1 : 2] as Buffer | null;
    const out = new ByteWriter();
    writer.write(out, schema('STRING', { optional: true }), bytes?.toString() ?? null);
    return out.take();
  };
  return { answer, calls };
}

test('a converter converts both ways, and asks once for each', async () => {
  const { answer, calls } = jvm();
  const element = scriptedElement(answer);
  const converter = javaConverter(element).create();
  converter.configure({ a: 'b' }, true);
  const value = { id: 1 };
  const bytes = await convertWhenReady(() => converter.fromConnectData('t', ROW, value));
  expect(bytes?.toString()).toBe('{"id":1}');
  expect(converter.fromConnectData('t', ROW, value)).toBe(bytes);
  expect(await convertWhenReady(() => converter.fromConnectData('t', null, null))).toBeNull();
  const headers = [{ key: 'h', value: Buffer.from('v') }];
  const data = await convertWhenReady(() => converter.toConnectData('t', Buffer.from('text'), headers));
  expect(data).toEqual({ schema: schema('STRING', { optional: true }), value: 'text' });
  expect(calls).toEqual([
    ['fromConnectData', 't', { id: 1 }],
    ['fromConnectData', 't', null],
    ['toConnectData', 't', Buffer.from('text'), [['h', Buffer.from('v')]]],
  ]);
  expect(element.sessions.map(({ session }) => session)).toEqual([
    { kind: 'converter', class: 'com.example.Element', settings: { a: 'b' }, isKey: true },
  ]);
});

test('sessions have the names of their task', async () => {
  const [one, other] = [scriptedElement(jvm().answer), scriptedElement(jvm().answer)];
  const [converter, header] = [javaConverter(one).create(), javaHeaderConverter(other).create()];
  converter.configure({}, false, { connector: 'c', task: 3 });
  header.configure({}, { connector: 'c', task: 3 });
  await convertWhenReady(() => converter.toConnectData('t', Buffer.from('x')));
  await convertWhenReady(() => header.toConnectHeader('t', 'h', Buffer.from('x')));
  expect([...one.sessions, ...other.sessions].map(({ session }) => session)).toMatchObject([
    { kind: 'converter', connector: 'c', task: 3 },
    { kind: 'header-converter', connector: 'c', task: 3 },
  ]);
});

test('bytes are recognised by their content, and are those of the first call', async () => {
  const { answer, calls } = jvm();
  const converter = javaConverter(scriptedElement(answer)).create();
  converter.configure({}, false);
  // The consumer uses its buffer again while the session is opened.
  const buffer = Buffer.from('first');
  const ready = readyOf(() => converter.toConnectData('t', buffer));
  buffer.write('other');
  await ready;
  expect(converter.toConnectData('t', Buffer.from('first')).value).toBe('first');
  expect((await convertWhenReady(() => converter.toConnectData('t', buffer))).value).toBe('other');
  expect(calls).toHaveLength(2);
});

test('another record while one waits gets its own answer', async () => {
  const { answer } = jvm();
  const converter = javaConverter(scriptedElement(answer)).create();
  converter.configure({}, false);
  const [one, other] = [{ id: 1 }, { id: 2 }];
  const first = readyOf(() => converter.fromConnectData('t', ROW, one));
  const second = readyOf(() => converter.fromConnectData('t', ROW, other));
  await Promise.all([first, second]);
  expect(converter.fromConnectData('t', ROW, other)?.toString()).toBe('{"id":2}');
  expect((await convertWhenReady(() => converter.fromConnectData('t', ROW, one)))?.toString()).toBe('{"id":1}');
});

test('a header converter answers for all headers of a record, each asked once', async () => {
  const { answer, calls } = jvm();
  const converter = javaHeaderConverter(scriptedElement(answer)).create();
  converter.configure({});
  const headers = Array.from({ length: 300 }, (_, i) => ({ key: `h${i}`, value: `v${i}` }));
  const convert = () => headers.map(({ key, value }) => converter.fromConnectHeader('t', key, TEXT, value)?.toString());
  expect(await convertWhenReady(convert)).toEqual(headers.map(({ value }) => `"${value}"`));
  expect(calls).toHaveLength(300);
  const read = () => headers.map(({ key, value }) => converter.toConnectHeader('t', key, Buffer.from(value)).value);
  expect(await convertWhenReady(read)).toEqual(headers.map(({ value }) => value));
  expect(calls).toHaveLength(600);
  expect(calls[300]).toEqual(['toConnectHeader', 't', 'h0', Buffer.from('v0'), []]);
});

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
