/** The converter with a format that is a fake: what it waits for, what it asks the registry, and what it remembers. */
import {
  converterReady,
  DataError,
  type ConnectValue,
  type RawStruct,
  type Schema,
  type SchemaAndValue,
} from '@millrace/sdk';
import type { SchemaFormat, ValueWriter } from '../../../connectors/converters-schema-registry/src/format';
import { RegistryConverter } from '../../../connectors/converters-schema-registry/src/registry-converter';
import { SmallRegistry, type Answering } from './small-registry';

const TEXT: Schema = { type: 'string', optional: false } as unknown as Schema;
const OPTIONAL: Schema = { type: 'string', optional: true } as unknown as Schema;

/** Writes texts as they are; null of an optional schema is a tombstone, other nulls are written as `null`. */
class FakeFormat implements SchemaFormat {
  readonly type = 'JSON' as const;
  compiled: string[] = [];
  failure: Error | null = null;
  recordName: string | null = 'Name';

  writer(schema: Schema | null): ValueWriter {
    this.compile('writer');
    return this.valueWriter(schema, '');
  }
  writerOf(registered: { text: string }, schema: Schema | null, isStrict: boolean): ValueWriter {
    this.compile(`writerOf ${registered.text} ${isStrict}`);
    return this.valueWriter(schema, `${registered.text} `);
  }
  reader(registered: { text: string }): { read(bytes: Uint8Array, at: number): SchemaAndValue } {
    this.compile(`reader ${registered.text}`);
    return {
      read: (bytes, at) => ({
        schema: null,
        value: `${registered.text} ${Buffer.from(bytes.subarray(at)).toString()}`,
      }),
    };
  }
  private compile(what: string): void {
    this.compiled.push(what);
    if (this.failure) throw this.failure;
  }
  private valueWriter(schema: Schema | null, prefix: string): ValueWriter {
    return {
      schema: { type: 'JSON', text: JSON.stringify(schema), references: [] },
      recordName: this.recordName,
      write: (value, output) => {
        if (value === null && schema?.optional === true) return false;
        output.append(Buffer.from(prefix + String(value)));
        return true;
      },
      raw: () => ({
        write: (row, output) => {
          output.append(Buffer.from(`raw ${String(row)}`));
          return true;
        },
      }),
    };
  }
}

let registry: SmallRegistry;
let format: FakeFormat;
beforeEach(async () => {
  registry = await SmallRegistry.start();
  format = new FakeFormat();
});
afterEach(async () => {
  await registry.stop();
});

function converterWith(config: Record<string, string> = {}, isKey = false): RegistryConverter {
  const converter = new RegistryConverter(() => format);
  converter.configure({ 'schema.registry.url': registry.url, ...config }, isKey);
  return converter;
}

/** As the runtime does: converts again once the converter is ready. */
async function converted<T>(convert: () => T): Promise<T> {
  for (let waits = 0; waits < 3; waits++) {
    try {
      return convert();
    } catch (error) {
      const ready = converterReady(error);
      if (ready === null) throw error;
      await ready;
    }
  }
  throw new Error('The converter never gets ready.');
}

const write = async (
  converter: RegistryConverter,
  value: ConnectValue,
  { topic = 't', schema = TEXT }: { topic?: string; schema?: Schema | null } = {},
): Promise<string | null> => {
  const bytes = await converted(() => converter.fromConnectData(topic, schema, value));
  if (bytes === null) return null;
  expect(bytes[0]).toBe(0);
  return `${Buffer.from(bytes).readInt32BE(1)} ${Buffer.from(bytes.subarray(5)).toString()}`;
};

const ids = (): Answering => {
  let id = 100;
  return () => ({ body: { id: id++ } });
};
const framed = (id: number, text: string): Buffer => {
  const bytes = Buffer.concat([Buffer.alloc(5), Buffer.from(text)]);
  bytes.writeInt32BE(id, 1);
  return bytes;
};

describe('writing', () => {
  test('the first record waits for the id, others with the schema do not ask', async () => {
    registry.answering = ids();
    const converter = converterWith();
    expect(() => converter.fromConnectData('t', TEXT, 'a')).toThrow('not ready yet');
    expect(await write(converter, 'a')).toBe('100 a');
    for (let i = 0; i < 1_000; i++) converter.fromConnectData('t', TEXT, 'b');
    expect(await write(converter, 'c')).toBe('100 c');
    expect(registry.requests).toEqual(['POST /subjects/t-value/versions']);
    expect(format.compiled).toEqual(['writer']);
  });

  test('each topic has a subject of its own, in turns; the schema is compiled once', async () => {
    registry.answering = ids();
    const converter = converterWith();
    for (const value of ['x', 'y']) {
      expect(await write(converter, value)).toBe(`100 ${value}`);
      expect(await write(converter, value, { topic: 'u' })).toBe(`101 ${value}`);
    }
    expect(registry.requests).toEqual(['POST /subjects/t-value/versions', 'POST /subjects/u-value/versions']);
    expect(format.compiled).toEqual(['writer']);
  });

  test('equal schemas of later records do not wait: neither own ones nor those of the registry', async () => {
    registry.answering = ({ method }) =>
      method === 'POST' ? { body: { id: 7 } } : { body: { schema: 'v1', schemaType: 'JSON', version: 1, id: 41 } };
    const equal = () => ({ ...TEXT });
    const converter = converterWith();
    expect(await write(converter, 'a', { schema: equal() })).toBe('7 a');
    for (let i = 0; i < 10; i++) expect(() => converter.fromConnectData('t', equal(), 'b')).not.toThrow();
    expect(() => converter.fromConnectData('u', equal(), 'b')).toThrow('not ready yet');
    const latest = converterWith({ 'auto.register.schemas': 'false', 'use.latest.version': 'true' });
    expect(await write(latest, 'a', { schema: equal() })).toBe('41 v1 a');
    for (let i = 0; i < 10; i++) expect(() => latest.fromConnectData('t', equal(), 'b')).not.toThrow();
  });

  test('keys, and names of records', async () => {
    registry.answering = ids();
    await write(converterWith({}, true), 'a');
    await write(converterWith({ 'value.subject.name.strategy': 'RecordNameStrategy' }), 'a');
    await write(converterWith({ 'key.subject.name.strategy': 'TopicRecordNameStrategy' }, true), 'a');
    expect(registry.requests.map((one) => one.split('/')[2])).toEqual(['t-key', 'Name', 't-Name']);
    format.recordName = null;
    const strategy = { 'value.subject.name.strategy': 'TopicRecordNameStrategy' };
    await expect(write(converterWith(strategy), 'a')).rejects.toMatchObject({ code: 'REGISTRY_SUBJECT' });
  });

  test('values without a schema', async () => {
    registry.answering = ids();
    const converter = converterWith();
    expect(await write(converter, 'a', { schema: null })).toBe('100 a');
    expect(await write(converter, null, { schema: null })).toBeNull();
  });

  test('a tombstone registers nothing; a null that the format writes does', async () => {
    registry.answering = ids();
    const converter = converterWith();
    expect(converter.fromConnectData('t', OPTIONAL, null)).toBeNull();
    expect(converter.fromConnectData('t', null, null)).toBeNull();
    expect(registry.requests).toEqual([]);
    expect(await write(converter, null)).toBe('100 null');
    expect(await write(converter, 'a', { schema: OPTIONAL })).toBe('101 a');
    expect(converter.fromConnectData('t', OPTIONAL, null)).toBeNull();
  });

  test('rows that stay bytes have the same id, and wait as others', async () => {
    registry.answering = ids();
    const converter = converterWith();
    const struct = { schema: TEXT } as unknown as RawStruct;
    const bytes = await converted(() => converter.fromRaw('t', struct, 'row' as never));
    expect(Buffer.from(bytes as Uint8Array)).toEqual(framed(100, 'raw row'));
    expect(await write(converter, 'a')).toBe('100 a');
    expect(registry.requests).toHaveLength(1);
  });

  test('without registration, schemas are looked up', async () => {
    registry.answering = ids();
    const config = { 'auto.register.schemas': 'false', 'normalize.schemas': 'true' };
    expect(await write(converterWith(config), 'a')).toBe('100 a');
    expect(registry.requests).toEqual(['POST /subjects/t-value?normalize=true']);
  });

  test('the latest version, which is read again after its time', async () => {
    let version = 1;
    registry.answering = () => ({ body: { schema: `v${version}`, schemaType: 'JSON', version, id: 40 + version } });
    const latest = { 'auto.register.schemas': 'false', 'use.latest.version': 'true' };
    const converter = converterWith({ ...latest, 'latest.cache.ttl.sec': '1' });
    const forever = converterWith({ ...latest, 'latest.compatibility.strict': 'false' });
    expect(await write(converter, 'a')).toBe('41 v1 a');
    expect(await write(forever, 'a')).toBe('41 v1 a');
    expect(format.compiled).toEqual(['writer', 'writerOf v1 true', 'writer', 'writerOf v1 false']);
    version = 2;
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_001);
    try {
      expect(await write(converter, 'b')).toBe('42 v2 b');
      expect(await write(forever, 'b')).toBe('41 v1 b');
    } finally {
      clock.mockRestore();
    }
  });

  test('a fixed schema, whatever the topic', async () => {
    registry.answering = () => ({ body: { schema: 'fixed', schemaType: 'JSON' } });
    const config = { 'auto.register.schemas': 'false', 'use.schema.id': '7', 'id.compatibility.strict': 'false' };
    const converter = converterWith({ ...config, 'use.latest.version': 'true' });
    expect(await write(converter, 'a')).toBe('7 fixed a');
    expect(await write(converter, 'a', { topic: 'u' })).toBe('7 fixed a');
    expect(registry.requests).toEqual(['GET /schemas/ids/7']);
    expect(format.compiled).toContain('writerOf fixed false');
  });

  test('as in Java, registration comes before the latest version and a fixed schema', async () => {
    registry.answering = ids();
    expect(await write(converterWith({ 'use.latest.version': 'true', 'use.schema.id': '7' }), 'a')).toBe('100 a');
    expect(registry.requests).toEqual(['POST /subjects/t-value/versions']);
  });
});

describe('reading', () => {
  beforeEach(() => {
    registry.answering = ({ path }) => ({ body: { schema: path.split('/').pop(), schemaType: 'JSON' } });
  });

  test('the first record waits for the schema, others with its id do not ask', async () => {
    const converter = converterWith();
    const read = (id: number) => converted(() => converter.toConnectData('t', framed(id, 'a')));
    expect(() => converter.toConnectData('t', framed(7, 'a'))).toThrow('not ready yet');
    expect(await read(7)).toEqual({ schema: null, value: '7 a' });
    expect(await read(8)).toEqual({ schema: null, value: '8 a' });
    for (let i = 0; i < 1_000; i++) converter.toConnectData('t', framed(7 + (i % 2), 'b'));
    expect(registry.requests).toEqual(['GET /schemas/ids/7', 'GET /schemas/ids/8']);
    expect(format.compiled).toEqual(['reader 7', 'reader 8']);
  });

  test('a tombstone is null', () => {
    expect(converterWith().toConnectData('t', null)).toEqual({ schema: null, value: null });
  });

  test('the id in a header', async () => {
    const converter = converterWith();
    const headers = [{ key: '__value_schema_id', value: Buffer.of(0, 0, 0, 0, 9) }];
    expect(await converted(() => converter.toConnectData('t', Buffer.from('x'), headers))).toMatchObject({
      value: '9 x',
    });
  });

  test('readers of ever new ids do not fill the memory: the oldest are forgotten', async () => {
    const converter = converterWith();
    for (let id = 1; id <= 1_001; id++) await converted(() => converter.toConnectData('t', framed(id, '')));
    expect(() => converter.toConnectData('t', framed(2, ''))).not.toThrow();
    expect(() => converter.toConnectData('t', framed(1, ''))).toThrow('not ready yet');
    // The client still has the schema.
    await converted(() => converter.toConnectData('t', framed(1, '')));
    expect(registry.requests).toHaveLength(1_001);
  });
});

describe('failures', () => {
  test('each error of the registry is that of `ready`, and a later call tries again', async () => {
    registry.answering = () => ({ status: 503, body: '' });
    const converter = converterWith();
    await expect(write(converter, 'a')).rejects.toMatchObject({ code: 'REGISTRY_UNREACHABLE', retriable: true });
    registry.answering = () => ({ status: 403, body: '' });
    await expect(write(converter, 'a')).rejects.toMatchObject({ code: 'REGISTRY_DENIED', retriable: false });
    await expect(converted(() => converter.toConnectData('t', framed(7, '')))).rejects.toMatchObject({
      code: 'REGISTRY_DENIED',
    });
    registry.answering = () => ({ body: { id: 5 } });
    expect(await write(converter, 'a')).toBe('5 a');
  });

  test('a topic of records that the registry refuses asks once, and compiles once', async () => {
    registry.answering = () => ({ status: 409, body: { error_code: 409, message: 'incompatible' } });
    const converter = converterWith();
    for (let i = 0; i < 50; i++) {
      await expect(write(converter, 'a')).rejects.toMatchObject({ code: 'REGISTRY_INCOMPATIBLE' });
      await expect(converted(() => converter.toConnectData('t', framed(7, '')))).rejects.toMatchObject({
        code: 'REGISTRY_INCOMPATIBLE',
      });
    }
    expect(registry.requests).toHaveLength(2);
    expect(format.compiled).toEqual(['writer']);
  });

  test('schemas that the format refuses are compiled once', async () => {
    registry.answering = () => ({ body: { schema: 'x', schemaType: 'JSON', id: 1, version: 1 } });
    format.failure = new DataError('no such type');
    const latest = converterWith({ 'auto.register.schemas': 'false', 'use.latest.version': 'true' });
    const converter = converterWith();
    for (let i = 0; i < 10; i++) {
      await expect(write(converter, 'a')).rejects.toThrow('no such type');
      await expect(converted(() => converter.toConnectData('t', framed(7, '')))).rejects.toThrow('no such type');
    }
    expect(format.compiled).toEqual(['writer', 'reader x']);
    format.failure = null;
    await expect(write(latest, 'a', { schema: OPTIONAL })).resolves.toBe('1 x a');
  });

  test('records that a registered schema cannot hold fail without another attempt', async () => {
    registry.answering = () => ({ body: { schema: 'x', schemaType: 'JSON', id: 1, version: 1 } });
    const writerOf = jest.spyOn(format, 'writerOf').mockImplementation(() => {
      throw new DataError('not compatible');
    });
    const latest = converterWith({ 'auto.register.schemas': 'false', 'use.latest.version': 'true' });
    for (let i = 0; i < 10; i++) await expect(write(latest, 'a')).rejects.toThrow('not compatible');
    expect(writerOf).toHaveBeenCalledTimes(1);
  });

  test('a schema of another format is not used, even if its text is one of this', async () => {
    registry.answering = () => ({ body: { schema: '{"type":"string"}', id: 1, version: 1 } });
    const latest = converterWith({ 'auto.register.schemas': 'false', 'use.latest.version': 'true' });
    const expected = { code: 'REGISTRY_TYPE', message: expect.stringContaining('use io.confluent.connect.avro.Avro') };
    await expect(write(latest, 'a')).rejects.toMatchObject(expected);
    const read = () => converted(() => latest.toConnectData('t', framed(7, '')));
    await expect(read()).rejects.toMatchObject(expected);
    await expect(read()).rejects.toMatchObject(expected);
    expect(registry.requests).toHaveLength(2);
  });

  test('bytes that are not of the wire format do not ask the registry', () => {
    expect(() => converterWith().toConnectData('t', Buffer.from('{"a":1}'))).toThrow('It looks like JSON');
    expect(registry.requests).toEqual([]);
  });
});
