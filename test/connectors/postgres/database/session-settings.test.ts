import type { Client } from 'pg';
import { refusedByPooler } from '../../../../connectors/postgres/src/database/pooler';
import { ensureSettings } from '../../../../connectors/postgres/src/database/session-settings';

/** A session with these settings, which keeps changes or not. */
function session(settings: Record<string, string>, keeps: boolean): { client: Client; changes: string[] } {
  const changes: string[] = [];
  const query = (sql: string): Promise<{ rows: unknown[] }> => {
    const names = [...sql.matchAll(/current_setting\('(\w+)', true\)/g)].map(([, name]) => name as string);
    for (const [, name, value] of sql.matchAll(/set_config\('(\w+)', '(\w+)', false\)/g)) {
      changes.push(`${name}=${value}`);
      if (keeps) settings[name as string] = value as string;
    }
    return Promise.resolve({ rows: [{ found: names.map((name) => settings[name] ?? '0') }] });
  };
  return { client: { query } as unknown as Client, changes };
}

const RIGHT = {
  ...{ DateStyle: 'ISO, DMY', IntervalStyle: 'postgres', TimeZone: 'UTC', extra_float_digits: '3' },
  ...{ bytea_output: 'hex', lc_monetary: 'C', standard_conforming_strings: 'on', client_encoding: 'UTF8' },
  ...{ idle_in_transaction_session_timeout: '0', statement_timeout: '0' },
  row_security: 'off',
};
const WRONG = { ...RIGHT, bytea_output: 'escape', DateStyle: 'SQL, DMY', statement_timeout: '1s' };

test('session settings that the session has are not set', async () => {
  const { client, changes } = session({ ...RIGHT }, true);
  await ensureSettings(client, 'Snapshot');
  expect(changes).toEqual([]);
});

test('session settings that a pooler dropped are set', async () => {
  const { client, changes } = session({ ...WRONG }, true);
  await ensureSettings(client, 'Snapshot');
  expect(changes).toEqual(['DateStyle=ISO', 'bytea_output=hex', 'statement_timeout=0']);
});

test('the server does not end idle sessions of the connector, nor long transactions of its snapshots', async () => {
  for (const [role, expected] of [
    ['General', ['idle_session_timeout=0']],
    ['Snapshot', ['idle_session_timeout=0', 'transaction_timeout=0']],
  ] as const) {
    const { client, changes } = session({ ...RIGHT, idle_session_timeout: '5s', transaction_timeout: '1min' }, true);
    await ensureSettings(client, role);
    expect(changes).toEqual(expected);
  }
});

test('session settings that the session does not keep are an error that names them', async () => {
  const { client } = session({ ...WRONG }, false);
  await expect(ensureSettings(client, 'Snapshot', 'contents')).rejects.toMatchObject({
    code: 'PG_SESSION_SETTINGS',
    retriable: false,
    message: expect.stringMatching(
      /^The session does not keep settings .*: DateStyle is "SQL, DMY" instead of "ISO", bytea_output is "escape" instead of "hex"\. A connection pooler/,
    ),
  });
});

test.each([
  ['unsupported startup parameter: extra_float_digits', true],
  ['Feature not supported: RDS Proxy currently doesn’t support command-line options.', true],
  ['password authentication failed for user "u"', false],
])('a connection that a pooler refuses is an error that names the pooler: %s', (message, refused) => {
  const error = Object.assign(new Error(message), { code: '08P01' });
  expect(refusedByPooler('Cannot connect', error)?.code).toBe(refused ? 'PG_POOLER' : undefined);
});
