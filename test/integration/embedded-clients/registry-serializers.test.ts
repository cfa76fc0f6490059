/** Confluent's serializers for Python and our converters read each other's records, with our schema registry. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import {
  convertWhenReady,
  schema,
  structSchema,
  type Converter,
  type ConverterPlugin,
  type SchemaAndValue,
} from '@millrace/sdk';
import { startSchemaRegistry, type RunningSchemaRegistry } from '@millrace/schema-registry';
import { avroConverter } from '../../../connectors/converters-schema-registry/src/avro';
import { jsonSchemaConverter } from '../../../connectors/converters-schema-registry/src/json-schema';
import { protobufConverter } from '../../../connectors/converters-schema-registry/src/protobuf';
import { whyNoPip } from '../../../dev/services/python-packages';
import { fetchPythonSerializers } from '../../../dev/services/python-registry-client';

const noPip = whyNoPip();
if (noPip !== null) process.stderr.write(`SKIPPED: records are not exchanged with Python's serializers. ${noPip}\n`);
const testPython = noPip === null ? test : test.skip;

const CONVERTERS = { avro: avroConverter, json: jsonSchemaConverter, protobuf: protobufConverter } as const;
type Kind = keyof typeof CONVERTERS;
const KINDS = Object.keys(CONVERTERS) as readonly Kind[];

let modules: string;
let registry: RunningSchemaRegistry;
beforeAll(async () => {
  if (noPip === null) modules = await fetchPythonSerializers();
});
beforeEach(async () => {
  registry = await startSchemaRegistry({ port: 0 });
});
afterEach(async () => await registry.close());

async function python(command: 'write' | 'read', input: object = {}): Promise<Record<string, unknown>> {
  const program = join(__dirname, 'registry-serializers.py');
  const env = { ...process.env, PYTHONPATH: modules };
  return await new Promise((resolve, reject) => {
    const child = execFile('python3', [program, command, registry.url], { env }, (error, stdout) => {
      if (error) reject(error);
      else resolve(JSON.parse(stdout) as Record<string, unknown>);
    });
    child.stdin?.end(JSON.stringify(input));
  });
}

function converterOf(kind: Kind): Converter {
  const plugin: ConverterPlugin = CONVERTERS[kind];
  const converter = plugin.create();
  converter.configure({ 'schema.registry.url': registry.url, 'optional.for.nullables': 'true' }, false);
  return converter;
}

async function read(kind: Kind, hex: unknown): Promise<SchemaAndValue> {
  const converter = converterOf(kind);
  return await convertWhenReady(() => converter.toConnectData(`write-${kind}`, Buffer.from(String(hex), 'hex')));
}

testPython('our converters read what Python’s serializers write', async () => {
  const written = await python('write');
  expect(written).toMatchObject({
    again: true,
    references: ['google/protobuf/timestamp.proto', 'part.proto'],
  });
  expect((await read('avro', written.avro)).value).toEqual({ id: 2n ** 60n, note: 'hé' });
  expect((await read('json', written.json)).value).toEqual({ id: 7, note: 'hé' });
  expect((await read('protobuf', written.protobuf)).value).toEqual({
    id: 2n ** 60n,
    note: 'hé',
    v: [1.5, 2],
    counts: new Map([['k', 5]]),
    at: new Date('2024-02-29T12:34:56.789Z'),
    pay_0: { cash: null, card: 7 },
    part: { x: 'y' },
    state: 'SENT',
  });
});

const ORDER = structSchema(
  [
    ['id', schema('INT64')],
    ['note', schema('STRING', { optional: true })],
    ['small', schema('INT16')],
  ],
  { name: 'shop.Order' },
);

testPython('Python’s deserializers read what our converters write', async () => {
  const value = { id: 2n ** 40n, note: 'hé', small: 5 };
  const records: Partial<Record<Kind | 'message', string>> = { message: 'Order' };
  for (const kind of KINDS) {
    const converter = converterOf(kind);
    const bytes = await convertWhenReady(() =>
      Buffer.from(converter.fromConnectData(`read-${kind}`, ORDER, value) as Uint8Array),
    );
    records[kind] = bytes.toString('hex');
  }
  const plain = { id: 2 ** 40, note: 'hé', small: 5 };
  expect(await python('read', records)).toEqual({
    avro: plain,
    json: plain,
    // Protobuf's JSON has texts for 64 bits.
    protobuf: { ...plain, id: String(2 ** 40) },
  });
});
