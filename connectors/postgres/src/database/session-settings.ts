/**
 * Settings of a session that make text values independent of the server's configuration (cdc-postgres §1.3). They are
 * sent when a connection opens and checked afterwards: a connection pooler may drop them.
 */
import { ConnectError } from '@millrace/sdk';
import type { Client } from 'pg';
import { databaseError } from './errors';

/** Purpose of a connection; part of its application_name, so that operators can find it. */
export type Role = 'General' | 'Streaming' | 'Snapshot' | 'Reselect' | 'Validate Connection';

type Setting = readonly [name: string, value: string];

/** Settings that affect the text form of values and of column defaults. */
const TEXT_FORM: readonly Setting[] = [
  ['DateStyle', 'ISO'],
  ['IntervalStyle', 'postgres'],
  ['TimeZone', 'UTC'],
  ['extra_float_digits', '3'],
  ['bytea_output', 'hex'],
  ['lc_monetary', 'C'],
  ['standard_conforming_strings', 'on'],
];
const ENCODING: Setting = ['client_encoding', 'UTF8'];

/** With `off`, the server refuses a query from which policies would remove rows. */
const ALL_ROWS: Setting = ['row_security', 'off'];

function contents(role: Role): readonly Setting[] {
  switch (role) {
    case 'General':
      // It reads no amounts but detects the currency they are stored in (`readServerFacts`). Statements of the config
      // run on it, for which policies may be meant.
      return TEXT_FORM.filter(([name]) => name !== 'lc_monetary');
    case 'Snapshot':
    case 'Reselect':
      return [...TEXT_FORM, ALL_ROWS];
    default:
      return TEXT_FORM;
  }
}

function limits(role: Role): readonly Setting[] {
  const idle: Setting = ['idle_in_transaction_session_timeout', '0'];
  // A FETCH waits while Kafka is slower than the snapshot; pg_dump reads without this limit, too.
  if (role === 'Snapshot') return [['statement_timeout', '0'], idle];
  // Changes that the server leaves out are reported by warnings only.
  return role === 'Streaming' ? [['client_min_messages', 'warning'], idle] : [idle];
}

/** Limits that only later servers have, which refuse no session for them but for their names in the startup packet. */
function laterLimits(role: Role): readonly Setting[] {
  // PostgreSQL 14; the general connection rests between queries, and that of an exported snapshot all the time.
  const idle: Setting = ['idle_session_timeout', '0'];
  // PostgreSQL 17.
  return role === 'Snapshot' ? [idle, ['transaction_timeout', '0']] : [idle];
}

/** `options` of the startup packet. The encoding has a parameter of its own there. */
export function startupOptions(role: Role): string {
  return [...contents(role), ...limits(role)].map(([name, value]) => `-c ${name}=${value}`).join(' ');
}

/**
 * Sets what the session lacks, for instance because a pooler dropped `options`. Throws ConnectError
 * `PG_SESSION_SETTINGS` if the session keeps other values. @param only 'contents': without the timeouts
 */
export async function ensureSettings(client: Client, role: Role, only: 'contents' | 'all' = 'all'): Promise<void> {
  const wanted = [...contents(role), ENCODING, ...(only === 'all' ? [...limits(role), ...laterLimits(role)] : [])];
  try {
    const missing = wrongSettings(wanted, await read(client, wanted));
    if (missing.length === 0) return;
    const changes = missing.map(({ name, value }) => `set_config('${name}', '${value}', false)`);
    await client.query(`SELECT ${changes.join(', ')}`);
    const kept = wrongSettings(wanted, await read(client, wanted));
    if (kept.length > 0) throw unsettled(kept);
  } catch (error) {
    throw databaseError('Checking the settings of the session failed', error);
  }
}

interface WrongSetting {
  readonly name: string;
  readonly value: string;
  readonly found: string;
}

/** Those of the session that differ. @param found their values in the session, in the same order. */
function wrongSettings(wanted: readonly Setting[], found: readonly string[]): WrongSetting[] {
  return wanted
    .map(([name, value], i) => ({ name, value, found: found[i] ?? '' }))
    .filter((setting) => !isEqual(setting));
}

function isEqual({ name, value, found }: WrongSetting): boolean {
  // The order of day and month affects input only.
  if (name === 'DateStyle') return /^ISO\b/i.test(found);
  return found.toLowerCase() === value.toLowerCase();
}

async function read(client: Client, settings: readonly Setting[]): Promise<string[]> {
  // A setting that the server does not have is as wanted.
  const columns = settings.map(([name, value]) => `coalesce(current_setting('${name}', true), '${value}')`);
  const { rows } = await client.query<{ found: string[] }>(`SELECT ARRAY[${columns.join(', ')}] AS found`);
  return rows[0]?.found ?? [];
}

function unsettled(kept: readonly WrongSetting[]): ConnectError {
  const list = kept.map(({ name, value, found }) => `${name} is "${found}" instead of "${value}"`).join(', ');
  return new ConnectError(
    `The session does not keep settings that the text of values depends on: ${list}. A connection pooler in transaction mode does this; set database.hostname and database.port to those of the PostgreSQL server itself.`,
    { code: 'PG_SESSION_SETTINGS' },
  );
}
