import { postgresConnector } from '../../../../connectors/postgres/src/connector';

const CONFIG = {
  name: 'inventory',
  'connector.class': 'io.debezium.connector.postgresql.PostgresConnector',
  'database.hostname': 'localhost',
  'database.user': 'u',
  'database.dbname': 'd',
  'topic.prefix': 'inventory',
};

test.each([
  ['supported', {}],
  ['supported', { 'snapshot.mode': 'when_needed' }],
  ['supported', { 'snapshot.mode': 'no_data' }],
  ['unsupported', { 'slot.drop.on.stop': 'true' }],
  ['unsupported', { 'snapshot.mode': 'always' }],
  ['unsupported', { 'snapshot.mode': 'initial_only' }],
  [
    'unsupported',
    {
      'snapshot.select.statement.overrides': 'public.a',
      'snapshot.select.statement.overrides.public.a': 'SELECT * FROM a WHERE id > 1',
    },
  ],
  // Refused for the unknown mode.
  ['supported', { 'snapshot.mode': 'unknown', 'slot.drop.on.stop': 'true' }],
])('connect-runtime §3.9: exactly-once delivery is %s with %p', (expected, settings) => {
  expect(postgresConnector.exactlyOnceSupport?.({ ...CONFIG, ...settings })).toBe(expected);
});
