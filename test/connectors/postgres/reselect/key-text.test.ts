import { dateSchema, schema, timestampSchema } from '@millrace/sdk';
import { keyText } from '../../../../connectors/postgres/src/reselect/key-text';

const named = (type: 'INT32' | 'INT64' | 'STRING' | 'BYTES', name: string) =>
  schema(type, { name: `io.debezium.${name}` });

test.each([
  [schema('INT64'), 9007199254740993n, '9007199254740993'],
  [schema('BOOLEAN'), false, 'false'],
  [schema('FLOAT64'), 1.5, '1.5'],
  [schema('STRING'), "o'clock", "o'clock"],
  [schema('BYTES'), Buffer.from([0, 255]), '\\x00ff'],
  [schema('BYTES'), { unscaled: -1250n, scale: 2 }, '-12.50'],
  [named('STRING', 'data.Uuid'), 'x', 'x'],
  [named('INT32', 'time.Date'), -1, '1969-12-31'],
  [named('INT64', 'time.Timestamp'), -1, '1969-12-31T23:59:59.999'],
  [named('INT64', 'time.MicroTimestamp'), 1_700_000_000_000_001, '2023-11-14T22:13:20.000001'],
  [named('INT64', 'time.NanoTimestamp'), 1_700_000_000_000_001_001n, '2023-11-14T22:13:20.000001001'],
  [dateSchema(), new Date(0), '1970-01-01'],
  [timestampSchema(), new Date(1), '1970-01-01T00:00:00.001Z'],
  [schema('INT32'), null, null],
  [named('INT64', 'time.MicroTime'), 5, null],
  [named('INT64', 'time.MicroDuration'), 5, null],
  [named('INT64', 'time.Timestamp'), 9_223_372_036_825_200_000n, null],
  [named('BYTES', 'data.Bits'), Buffer.from([1]), null],
])('cdc-postgres 41: a key value in the server’s text form: %#', (of, value, text) => {
  expect(keyText(of, value)).toBe(text);
});
