/** What Millrace's Avro converter writes and reads, without a registry. */
import { DataError, type RawCells, type RawStruct, type Schema } from '@millrace/sdk';
import { createAvroFormat } from '../../connectors/converters-schema-registry/src/avro/avro-format';
import { ByteOutput } from '../../connectors/converters-schema-registry/src/byte-output';
import type { SchemaFormat, ValueWriter } from '../../connectors/converters-schema-registry/src/format';
import type { Read, Settings, Written } from './java-converter';
import { noted, shownSchema } from './notation';

export interface OwnRead extends Read {
  /** What `write` takes. */
  readonly data?: { readonly schema: Schema | null; readonly value: unknown };
}

/** Compiled writers of schemas that come again, by their settings. */
const writers = new WeakMap<Settings, Map<boolean, { format: SchemaFormat; writers: WeakMap<Schema, ValueWriter> }>>();

function writerOf(settings: Settings, isKey: boolean, schema: Schema | null): ValueWriter {
  const both = writers.get(settings) ?? new Map();
  writers.set(settings, both);
  const known = both.get(isKey) ?? { format: createAvroFormat({ ...URL, ...settings }, isKey), writers: new WeakMap() };
  both.set(isKey, known);
  const writer = (schema && known.writers.get(schema)) ?? known.format.writer(schema);
  if (schema !== null) known.writers.set(schema, writer);
  return writer;
}

const URL = { 'schema.registry.url': 'http://127.0.0.1:1' };

export function ownWrite(settings: Settings, isKey: boolean, schema: Schema | null, value: unknown): Written {
  try {
    if (schema === null && value === null) return { bytes: null };
    const writer = writerOf(settings, isKey, schema);
    const output = new ByteOutput();
    if (!writer.write(value, output)) return { bytes: null };
    return { avro: writer.schema.text, bytes: Buffer.from(output.finish()).toString('hex') };
  } catch (error) {
    return { error: failure(error) };
  }
}

/** Null: rows of the struct, or this one, are not written from their bytes. */
export function ownWriteRaw(settings: Settings, isKey: boolean, struct: RawStruct, row: RawCells): string | null {
  try {
    const output = new ByteOutput();
    const raw =
      createAvroFormat({ ...URL, ...settings }, isKey)
        .writer(struct.schema)
        .raw?.(struct) ?? null;
    return raw?.write(row, output) === true ? Buffer.from(output.finish()).toString('hex') : null;
  } catch (error) {
    // Of the schema, which plain values have too.
    return error instanceof DataError ? null : failure(error).join();
  }
}

export function ownRead(settings: Settings, isKey: boolean, avro: string, bytes: string): OwnRead {
  try {
    const reader = createAvroFormat({ ...URL, ...settings }, isKey).reader({
      type: 'AVRO',
      text: avro,
      references: [],
      id: 1,
      version: 1,
      guid: null,
      dependencies: new Map(),
    });
    const data = reader.read(Buffer.from(bytes, 'hex'), 0, null);
    return { data, schema: shownSchema(data.schema), value: noted(data.schema, data.value) };
  } catch (error) {
    return { error: failure(error) };
  }
}

function failure(error: unknown): string[] {
  const { name, message, stack } = error as Error;
  // Another error is a mistake of ours: where it was made says more.
  return error instanceof DataError ? [`${name}: ${message}`] : [`${name}: ${message}`, String(stack).slice(0, 800)];
}
