/** Schemas around the row (cdc-postgres §2.2 to §2.4, §5.9). */
import { schema, structSchema, type Schema } from '@millrace/sdk';

const string = schema('STRING');
const optionalString = schema('STRING', { optional: true });
const int64 = schema('INT64');
const optionalInt64 = schema('INT64', { optional: true });

export const SOURCE_SCHEMA = structSchema(
  [
    ['version', string],
    ['connector', string],
    ['name', string],
    ['ts_ms', int64],
    [
      'snapshot',
      schema('STRING', {
        optional: true,
        name: 'io.debezium.data.Enum',
        version: 1,
        parameters: { allowed: 'true,first,first_in_data_collection,last_in_data_collection,last,false,incremental' },
        default: 'false',
      }),
    ],
    ['db', string],
    ['sequence', optionalString],
    ['ts_us', optionalInt64],
    ['ts_ns', optionalInt64],
    ['schema', string],
    ['table', string],
    ['txId', optionalInt64],
    ['lsn', optionalInt64],
    ['xmin', optionalInt64],
    ['origin', optionalString],
    ['origin_lsn', optionalInt64],
  ],
  { name: 'io.debezium.connector.postgresql.Source', version: 1 },
);

export const TRANSACTION_SCHEMA = structSchema(
  [
    ['id', string],
    ['total_order', int64],
    ['data_collection_order', int64],
  ],
  { optional: true, name: 'event.block', version: 1 },
);

/** @param row optional struct of the table's columns */
export function envelopeSchema(name: string, row: Schema): Schema {
  return structSchema(
    [
      ['before', row],
      ['after', row],
      ['source', SOURCE_SCHEMA],
      ['transaction', TRANSACTION_SCHEMA],
      ['op', string],
      ['ts_ms', optionalInt64],
      ['ts_us', optionalInt64],
      ['ts_ns', optionalInt64],
    ],
    { name, version: 2 },
  );
}

export const HEARTBEAT_KEY_SCHEMA = structSchema([['serverName', string]], {
  name: 'io.debezium.connector.common.ServerNameKey',
  version: 1,
});
export const HEARTBEAT_VALUE_SCHEMA = structSchema([['ts_ms', int64]], {
  name: 'io.debezium.connector.common.Heartbeat',
  version: 1,
});
