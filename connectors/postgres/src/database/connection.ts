/**
 * Opens connections whose session settings make the server's text independent of its own configuration (cdc-postgres
 * §1.3).
 */
import { LONGEST_TIMER_MS, startTimer } from '@millrace/sdk';
import { Client, type ClientConfig } from 'pg';
import type { ConnectionConfig } from '../config/postgres-config';
import { tlsAttempts, type TlsAttempt } from './tls';
import { databaseError, errorCode, errorText } from './errors';
import { connectionOf } from './pg-internals';

/** What a connection is for; part of its application_name, which operators search for. */
export type Role = 'General' | 'Streaming' | 'Snapshot' | 'Validate Connection';

/** What the text of values depends on. */
const TEXT_FORM = [
  ['DateStyle', 'ISO'],
  ['IntervalStyle', 'postgres'],
  ['TimeZone', 'UTC'],
  ['extra_float_digits', '3'],
  ['bytea_output', 'hex'],
  ['lc_monetary', 'C'],
] as const;
const RESTORE = [...TEXT_FORM.map(([name]) => name), 'client_encoding'].map((name) => `RESET ${name}`).join('; ');

function options(role: Role): string {
  // The currency that amounts are stored in is asked for where none are read (`readServerFacts`).
  const form = role === 'General' ? TEXT_FORM.filter(([name]) => name !== 'lc_monetary') : TEXT_FORM;
  return [...form, ['idle_in_transaction_session_timeout', '0']]
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

const CONNECT_TIMEOUT_MS = 30_000;

export function clientConfig(config: ConnectionConfig, role: Role, tls: TlsAttempt): ClientConfig {
  return {
    host: config.host,
    port: config.port,
    user: config.user,
    password: config.password,
    database: config.database,
    application_name: `Millrace ${role}`,
    client_encoding: 'UTF8',
    options: options(role),
    keepAlive: config.keepAlive,
    connectionTimeoutMillis: Math.min(
      role === 'Validate Connection' ? config.validationTimeoutMs : CONNECT_TIMEOUT_MS,
      LONGEST_TIMER_MS,
    ),
    ssl: tls,
    enableChannelBinding: true,
  };
}

/** An open connection, and which way of encrypting it worked. */
export interface Opened {
  readonly client: Client;
  readonly tls: TlsAttempt;
}

/** Throws a ConnectError, retriable when the server may only be away for now. */
export async function openConnection(config: ConnectionConfig, role: Role): Promise<Opened> {
  const attempts = tlsAttempts(config);
  for (const [index, tls] of attempts.entries()) {
    const client = new Client(clientConfig(config, role, tls));
    // A connection that dies while idle has no caller to tell; whoever uses it next sees its queries fail.
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch (error) {
      await client.end().catch(() => undefined);
      if (index + 1 < attempts.length && mayTryNext(error)) continue;
      throw connectError(config, error);
    }
    try {
      await initialise(client, config.initialStatements);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw databaseError('A statement of database.initial.statements failed', error);
    }
    return { client, tls };
  }
  throw new Error('unreachable: there is always an attempt');
}

/** Whatever the statements set: a snapshot reads the text that the stream is sent, which they do not reach. */
async function initialise(client: Client, statements: readonly string[]): Promise<void> {
  if (statements.length === 0) return;
  for (const statement of statements) await client.query(statement);
  await client.query(RESTORE);
}

export function connectError(config: ConnectionConfig, error: unknown): Error {
  const text = errorText(error).replace(
    'The server does not support SSL connections',
    'The server does not support SSL.',
  );
  const cause = new Error(text, { cause: error });
  const code = errorCode(error);
  return databaseError(
    `Cannot connect to PostgreSQL at ${config.host}:${config.port}, database "${config.database}"`,
    code === '' ? cause : Object.assign(cause, { code }),
  );
}

/**
 * `prefer` and `allow`: the other way is tried when this one was refused, not when the server is away or the password
 * wrong.
 */
function mayTryNext(error: unknown): boolean {
  const code = errorCode(error);
  if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/.test(code)) return false;
  if (/timeout expired/.test(errorText(error))) return false;
  return code === '' || code === '28000' || !/^[0-9A-Z]{5}$/.test(code);
}

/** Ends a connection without waiting for a server that does not answer. */
export async function closeConnection(client: Client | null): Promise<void> {
  if (client === null) return;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = startTimer(resolve, 2000);
  });
  await Promise.race([client.end().catch(() => undefined), limit]);
  clearTimeout(timer);
  connectionOf(client).stream.destroy();
}
