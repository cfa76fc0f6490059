/**
 * A record's key or its value: most transformations exist for both, with class names that end in `$Key` and `$Value`.
 */
import type { ConnectRecord, ConnectValue, Schema } from '@millrace/sdk';

export interface Side {
  schemaOf(record: ConnectRecord): Schema | null;
  valueOf(record: ConnectRecord): ConnectValue;
  /** A copy of the record with another schema and value on this side. */
  replaced<R extends ConnectRecord>(record: R, schema: Schema | null, value: ConnectValue): R;
}

export const KEY: Side = {
  schemaOf: (record) => record.keySchema,
  valueOf: (record) => record.key,
  replaced: (record, keySchema, key) => ({ ...record, keySchema, key }),
};

export const VALUE: Side = {
  schemaOf: (record) => record.valueSchema,
  valueOf: (record) => record.value,
  replaced: (record, valueSchema, value) => ({ ...record, valueSchema, value }),
};
