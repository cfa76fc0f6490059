/** Whether the server lets the connector use an output plugin, and whether its text can be read. */
import { randomBytes } from 'node:crypto';
import { ConnectError } from '@millrace/sdk';
import type { Client } from 'pg';
import type { PostgresConfig } from '../config/postgres-config';
import { databaseError, errorCode, refusesPlugin } from '../database/errors';
import { decodingPlugin } from './decoding-plugin';

/** The library is loaded before the server waits for running transactions. */
const PROBE_TIMEOUT_MS = 1000;

/**
 * Only the creation of a slot loads the library, so this creates a temporary one for a moment. Null: it can be used, or
 * the server cannot tell, for instance because all its slots are in use.
 */
export async function pluginError(client: Client, config: PostgresConfig): Promise<ConnectError | null> {
  const { slotPlugin } = decodingPlugin(config);
  const name = `millrace_probe_${randomBytes(6).toString('hex')}`;
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL statement_timeout = ${PROBE_TIMEOUT_MS}`);
    await client.query('SELECT pg_create_logical_replication_slot($1, $2, true)', [name, slotPlugin]);
    await client.query('SELECT pg_drop_replication_slot($1)', [name]);
    return null;
  } catch (error) {
    if (errorCode(error) === '58P01') return missingPlugin(config, error);
    if (refusesPlugin(error)) return databaseError(`The output plugin "${slotPlugin}" cannot be used`, error);
    if (/^[0-9A-Z]{5}$/.test(errorCode(error))) return null;
    throw error;
  } finally {
    // Closes a lost connection's transaction, too.
    await client.query('ROLLBACK').catch(() => undefined);
  }
}

export function missingPlugin(config: PostgresConfig, cause?: unknown): ConnectError {
  const { slotPlugin } = decodingPlugin(config);
  return new ConnectError(
    `The output plugin "${slotPlugin}" is not installed on the server (could not access file "${slotPlugin}"). Install its package, on Debian apt-get install postgresql-<version>-${slotPlugin}, or set plugin.name=pgoutput, which every server has.`,
    { code: 'PG_PLUGIN_MISSING', cause, place: { plugin: slotPlugin } },
  );
}

/** Null, or why the text of this plugin would be misread. */
export async function encodingProblem(client: Client, config: PostgresConfig): Promise<string | null> {
  if (!decodingPlugin(config).sendsServerEncoding) return null;
  const { rows } = await client.query<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding");
  const encoding = rows[0]?.encoding ?? '';
  // In SQL_ASCII, the bytes are of any encoding, and two keys that are no UTF-8 would become one.
  return encoding === 'UTF8'
    ? null
    : `plugin.name=${config.plugin} sends text in the encoding of the database, ${encoding}, and only UTF8 is supported. Set plugin.name=pgoutput.`;
}

/**
 * The config with the plugin that an unset `plugin.name` means: that of the slot, otherwise Debezium's default where it
 * can be used and its text can be read, otherwise pgoutput. @param slotPlugin of the existing slot; null for none
 */
export async function withPlugin(
  client: Client,
  config: PostgresConfig,
  slotPlugin: string | null,
): Promise<PostgresConfig> {
  if (config.pluginIsChosen) return config;
  const byDefault: PostgresConfig = { ...config, plugin: 'decoderbufs' };
  const { slotPlugin: defaultPlugin } = decodingPlugin(byDefault);
  if (slotPlugin !== null) return slotPlugin === defaultPlugin ? byDefault : config;
  const isUsable =
    (await encodingProblem(client, byDefault)) === null && (await pluginError(client, byDefault)) === null;
  return isUsable ? byDefault : config;
}
