/** An Avro object container file, written row by row. */
import { randomBytes } from 'node:crypto';
import avro from 'avsc';
import type { Schema } from '@millrace/sdk';
import { avroSchema, avroValue } from './avro-data';

const SYNC_BYTES = 16;
const BLOCK_BYTES = 64 * 1024;

/** 64-bit integers as bigint. */
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
const COUNT = avro.Type.forSchema('long');
const META = avro.Type.forSchema({ type: 'map', values: 'bytes' });

export class AvroRows {
  private readonly type: avro.Type;
  private readonly text: string;
  /** Equal schemas: converters may create a new object for each record. */
  private readonly equalSchemas = new WeakSet<Schema>();
  private readonly sync = randomBytes(SYNC_BYTES);
  private rows: Buffer[] = [];
  private size = 0;

  constructor(private readonly schema: Schema) {
    const known = avroSchema(schema);
    this.text = JSON.stringify(known);
    this.type = avro.Type.forSchema(known, {
      // Not a registry, which avsc does not consult for longs with a logical type.
      typeHook: (part) => (part === 'long' || (part as { type?: unknown }).type === 'long' ? LONG : undefined),
      wrapUnions: false,
    });
  }

  /** Whether the file accepts rows of this schema. */
  isFor(schema: Schema): boolean {
    if (schema === this.schema || this.equalSchemas.has(schema)) return true;
    if (JSON.stringify(avroSchema(schema)) !== this.text) return false;
    this.equalSchemas.add(schema);
    return true;
  }

  header(): Buffer {
    const meta = {
      'avro.schema': Buffer.from(this.text),
      'avro.codec': Buffer.from('null'),
    };
    return Buffer.concat([Buffer.from('Obj\u0001', 'latin1'), META.toBuffer(meta), this.sync]);
  }

  /**
   * Bytes of the row.
   *
   * @param schema of the value, which the file accepts: its names and defaults may differ from those of the file's
   *   schema, where Avro's names or its text are the same
   * @throws Error when the value does not match the schema
   */
  add(schema: Schema, value: Readonly<Record<string, unknown>>): number {
    const bytes = this.type.toBuffer(avroValue(schema, value));
    this.rows.push(bytes);
    this.size += bytes.length;
    return bytes.length;
  }

  /** The next block; empty until one is full, unless `last`. */
  block(last: boolean): Buffer {
    if (this.rows.length === 0 || (!last && this.size < BLOCK_BYTES)) return Buffer.alloc(0);
    const block = Buffer.concat([COUNT.toBuffer(this.rows.length), COUNT.toBuffer(this.size), ...this.rows, this.sync]);
    this.rows = [];
    this.size = 0;
    return block;
  }
}
