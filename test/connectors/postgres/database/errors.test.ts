import { databaseError, isTransient } from '../../../../connectors/postgres/src/database/errors';
import { formatLsn, parseLsn } from '../../../../connectors/postgres/src/database/lsn';
import { quoteLiteral, quoteTable } from '../../../../connectors/postgres/src/database/identifiers';
import { replicationProblem, type ServerFacts } from '../../../../connectors/postgres/src/database/server';

const failure = (code: string, message = 'text'): Error => Object.assign(new Error(message), { code });

test.each([
  '57P01',
  '57P02',
  '57P03',
  '08006',
  '08P01',
  '53300',
  '40001',
  '25P03',
  '25P04',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  '55006',
])('%s is transient', (code) => {
  expect(isTransient(failure(code))).toBe(true);
  expect(databaseError('Doing', failure(code))).toMatchObject({ retriable: true });
});
test.each(['28P01', '28000', '3D000', '42501', '42P01', '42704', '57014', '58P01', '22023', ''])(
  '%s is not transient',
  (code) => {
    expect(isTransient(failure(code))).toBe(false);
    expect(databaseError('Doing', failure(code))).toMatchObject({ retriable: false });
  },
);
test('a closed connection has no code', () => {
  expect(isTransient(new Error('Connection terminated unexpectedly'))).toBe(true);
});

test('codes, and one sentence with the cause', () => {
  const error = databaseError('Reading failed', failure('28P01', 'password authentication failed for user "x"'));
  expect([error.code, error.message]).toEqual([
    'PG_AUTHENTICATION',
    'Reading failed: password authentication failed for user "x" (SQLSTATE 28P01)',
  ]);
  expect(databaseError('Again', error)).toBe(error);
});

test('an AggregateError of several addresses is readable', () => {
  const cause = new AggregateError([
    failure('ECONNREFUSED', 'connect ECONNREFUSED ::1:1'),
    failure('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'),
  ]);
  expect(databaseError('Connecting', Object.assign(cause, { code: 'ECONNREFUSED' })).message).toBe(
    'Connecting: connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1',
  );
});

test('positions', () => {
  expect(parseLsn('0/A229470')).toBe(170038384);
  expect(formatLsn(170038384)).toBe('0/A229470');
  expect(parseLsn('FFFFFFFF/FFFFFFFF')).toBe(0xffff_ffff_ffff_ffffn);
  expect(formatLsn(parseLsn('1FFFFF/1'))).toBe('1FFFFF/1');
});

test('quoting', () => {
  expect(quoteTable({ schema: 'a"b', name: 'c' })).toBe('"a""b"."c"');
  expect(quoteLiteral("it's")).toBe("'it''s'");
  expect(quoteLiteral('a\\b')).toBe(" E'a\\\\b'");
});

const facts: ServerFacts = {
  currencyDigits: 2,
  version: 150000,
  walLevel: 'logical',
  user: 'cdc',
  mayReplicate: true,
  inRecovery: false,
  walSenderTimeoutMs: 60000,
  maxSlots: 10,
};
test('cdc-postgres 9: wal_level', () => {
  expect(replicationProblem(facts)).toBeNull();
  expect(replicationProblem({ ...facts, walLevel: 'replica' })).toEqual({
    code: 'PG_WAL_LEVEL',
    message:
      "Postgres server wal_level property must be 'logical' but is: 'replica'. Run ALTER SYSTEM SET wal_level = 'logical'; and restart the server.",
  });
});
test('cdc-postgres 10: REPLICATION', () => {
  expect(replicationProblem({ ...facts, mayReplicate: false })?.message).toContain(
    'ALTER ROLE "cdc" WITH LOGIN REPLICATION;',
  );
});
