/**
 * A record's key or its value: most transformations exist for both, with class names that end in `$Key` and `$Value`.
 */
import type { ConnectRecord, ConnectValue, RawRow, RawStruct, Schema } from '@millrace/sdk';

export interface Side {
  schemaOf(record: ConnectRecord): Schema | null;
  valueOf(record: ConnectRecord): ConnectValue;
  /** What a raw row holds on this side. */
  rawOf(row: RawRow): RawStruct | null;
  /** A copy of the record with another schema and value on this side. */
  replaced<R extends ConnectRecord>(record: R, schema: Schema | null, value: ConnectValue): R;
}

export const KEY: Side = {
  schemaOf: (record) => record.keySchema,
  valueOf: (record) => record.key,
  rawOf: ({ shape }) => shape.key,
  replaced: (record, keySchema, key) => ({ ...record, keySchema, key }),
};

export const VALUE: Side = {
  schemaOf: (record) => record.valueSchema,
  valueOf: (record) => record.value,
  rawOf: ({ shape }) => shape.value,
  replaced: (record, valueSchema, value) => ({ ...record, valueSchema, value }),
};
