/** Records of an Avro object container file, each as JSON text. */
import { once } from 'node:events';
import avro from 'avsc';
import { KustoError } from '../kusto-error';

/** 64-bit integers, exactly. */
const LONG = avro.types.LongType.__with({
  fromBuffer: (buffer: Buffer) => buffer.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const buffer = Buffer.alloc(8);
    buffer.writeBigInt64LE(value);
    return buffer;
  },
  fromJSON: BigInt,
  toJSON: Number,
  isValid: (value: unknown) => typeof value === 'bigint',
  compare: (a: bigint, b: bigint) => (a === b ? 0 : a < b ? -1 : 1),
});

const MAGIC = Buffer.from('Obj\u0001', 'latin1');

/** @throws KustoError if the data is not an Avro file. */
export async function avroDocuments(data: Buffer): Promise<string[]> {
  if (!data.subarray(0, MAGIC.length).equals(MAGIC)) throw notAvro('it does not begin as such a file does');
  const decoder = new avro.streams.BlockDecoder({
    parseHook: (schema) => avro.Type.forSchema(schema, { registry: { long: LONG }, wrapUnions: false }),
  });
  const documents: string[] = [];
  decoder.on('data', (record: unknown) => documents.push(jsonText(record)));
  const ended = once(decoder, 'end');
  decoder.end(data);
  try {
    await ended;
  } catch (error) {
    throw notAvro(error instanceof Error ? error.message : String(error));
  }
  return documents;
}

function jsonText(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'));
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value === 'number' && !Number.isFinite(value)) return 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  return `{${Object.entries(value)
    .map(([key, field]) => `${JSON.stringify(key)}:${jsonText(field)}`)
    .join(',')}}`;
}

function notAvro(why: string): KustoError {
  return new KustoError('BadRequest_InvalidBlob', `The data is not Avro: ${why}`);
}
