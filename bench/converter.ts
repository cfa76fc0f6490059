/**
 * CPU time of JsonConverter for one change event of a three-column table in Debezium's envelope. `npm run bench --
 * converter [RECORDS]` (Default: 200,000)
 */
import { schema, structSchema, type Schema } from '@millrace/sdk';
import { JsonConverter } from '../src/converters/json/json-converter';
import { benchmark, figure, heading, whole } from './lib/report';

const optionalText = schema('STRING', { optional: true });
const text = schema('STRING');
const int64 = schema('INT64');
const optionalInt64 = schema('INT64', { optional: true });

const row = structSchema(
  [
    ['id', schema('INT32', { default: 0 })],
    ['description', optionalText],
    ['todo_status', optionalText],
  ],
  { optional: true, name: 'fulfillment.public.todos.Value' },
);
const source = structSchema(
  [
    ['version', text],
    ['connector', text],
    ['name', text],
    ['ts_ms', int64],
    [
      'snapshot',
      schema('STRING', {
        optional: true,
        name: 'io.debezium.data.Enum',
        version: 1,
        default: 'false',
        parameters: { allowed: 'true,first,first_in_data_collection,last_in_data_collection,last,false,incremental' },
      }),
    ],
    ['db', text],
    ['sequence', optionalText],
    ['ts_us', optionalInt64],
    ['ts_ns', optionalInt64],
    ['schema', text],
    ['table', text],
    ['txId', optionalInt64],
    ['lsn', optionalInt64],
    ['xmin', optionalInt64],
  ],
  { name: 'io.debezium.connector.postgresql.Source', version: 1 },
);
const transaction = structSchema(
  [
    ['id', text],
    ['total_order', int64],
    ['data_collection_order', int64],
  ],
  { optional: true, name: 'event.block', version: 1 },
);
const envelope: Schema = structSchema(
  [
    ['before', row],
    ['after', row],
    ['source', source],
    ['transaction', transaction],
    ['op', text],
    ['ts_ms', optionalInt64],
    ['ts_us', optionalInt64],
    ['ts_ns', optionalInt64],
  ],
  { name: 'fulfillment.public.todos.Envelope', version: 2 },
);

function event(i: number): unknown {
  return {
    before: null,
    after: { id: i, description: `write the report number ${i} before the end of the month`, todo_status: 'pending' },
    source: {
      version: '3.7.0.Final',
      connector: 'postgresql',
      name: 'fulfillment',
      ts_ms: 1763694000123 + i,
      snapshot: 'false',
      db: 'demo',
      sequence: `["${24023128 + i}","${24023128 + i}"]`,
      ts_us: 1763694000123456 + i,
      ts_ns: 1763694000123456000n + BigInt(i),
      schema: 'public',
      table: 'todos',
      txId: 555 + i,
      lsn: 24023128 + i,
      xmin: null,
    },
    transaction: null,
    op: 'c',
    ts_ms: 1763694000479 + i,
    ts_us: 1763694000479111 + i,
    ts_ns: 1763694000479111222n + BigInt(i),
  };
}

const RECORDS = Number(process.argv[2] ?? 200_000);
const events = Array.from({ length: 1000 }, (_, i) => event(i));

/** CPU nanoseconds per call, after a warm-up. */
function cost(run: (i: number) => void): number {
  for (let i = 0; i < RECORDS / 10; i++) run(i);
  const before = process.cpuUsage();
  for (let i = 0; i < RECORDS; i++) run(i);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / RECORDS;
}

benchmark(async () => {
  for (const schemas of ['true', 'false']) {
    const converter = new JsonConverter();
    converter.configure({ 'schemas.enable': schemas });
    const texts = events.map((value) => Buffer.from(converter.fromConnectData('t', envelope, value) as Uint8Array));
    heading(`JsonConverter, schemas.enable=${schemas}`);
    figure('bytes per record', whole(texts[0]?.length ?? 0));
    figure(
      'write, ns of CPU per record',
      whole(cost((i) => converter.fromConnectData('t', envelope, events[i % 1000]))),
    );
    figure('read, ns of CPU per record', whole(cost((i) => converter.toConnectData('t', texts[i % 1000] as Buffer))));
  }
});
