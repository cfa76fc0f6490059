/**
 * Opens connections whose session settings make text values independent of the server's configuration (cdc-postgres
 * §1.3).
 */
import { isConnectError, LONGEST_TIMER_MS, MAX_SCRAM_ITERATIONS, startTimer } from '@millrace/sdk';
import { Client, type ClientConfig } from 'pg';
import type { ConnectionConfig } from '../config/postgres-config';
import { bindIfPossible } from './channel-binding';
import { tlsAttempts, type TlsAttempt } from './tls';
import { directSocket } from './direct-socket';
import { databaseError, errorCode, errorText } from './errors';
import { MAX_MESSAGE, MessageGuard } from './message-guard';
import { connectionOf, GuardedConnection, runsQuery, withoutReplication } from './pg-internals';
import { refusedByPooler } from './pooler';
import { ensureSettings, startupOptions, type Role } from './session-settings';

/** Of the catalogs; anyone who may validate a config can ask for them, of any server. */
const MAX_VALIDATION_ANSWER = 256 * 1024 * 1024;

export function clientConfig(config: ConnectionConfig, role: Role, tls: TlsAttempt): ClientConfig {
  const guard = new MessageGuard(
    `${config.host}:${config.port}`,
    role === 'Validate Connection' ? MAX_VALIDATION_ANSWER : MAX_MESSAGE,
  );
  const settings: ClientConfig & { connection: GuardedConnection; scramMaxIterations: number } = {
    host: config.host,
    port: config.port,
    user: config.user,
    // A text that is empty would be replaced by the worker's own PGPASSWORD or .pgpass, for a server of the config.
    // `pg` calls it as a method of the client, between TLS and SCRAM; the stream's client can be reached only here.
    password(this: Client): string {
      bindIfPossible(this);
      return config.password;
    },
    database: config.database,
    application_name: `Millrace ${role}`,
    client_encoding: 'UTF8',
    options: startupOptions(role),
    keepAlive: config.keepAlive,
    connectionTimeoutMillis: Math.min(
      config.connectTimeoutMs,
      role === 'Validate Connection' ? config.validationTimeoutMs : Infinity,
      LONGEST_TIMER_MS,
    ),
    ssl: tls,
    // Not the worker's PGSSLNEGOTIATION.
    sslnegotiation: 'postgres',
    enableChannelBinding: true,
    // pg refuses more, because the server sets it.
    scramMaxIterations: MAX_SCRAM_ITERATIONS,
    connection: new GuardedConnection(
      {
        ssl: tls,
        keepAlive: config.keepAlive,
        // The others wait for few bytes, and a TLS socket has memory of its own.
        ...(role === 'Streaming' && tls === false && { stream: directSocket }),
      },
      guard,
    ),
  };
  return settings;
}

/** An open connection and the TLS attempt that succeeded. */
interface Opened {
  readonly client: Client;
  readonly tls: TlsAttempt;
}

/** Throws a ConnectError, retriable when the server may be temporarily unavailable. */
export async function openConnection(config: ConnectionConfig, role: Role): Promise<Opened> {
  const attempts = await tlsAttempts(config);
  for (const [index, tls] of attempts.entries()) {
    const client = new Client(clientConfig(config, role, tls));
    withoutReplication(client);
    // A connection lost while idle has no caller to report to; its next query fails.
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch (error) {
      await closeConnection(client);
      if (index + 1 < attempts.length && mayTryNext(error)) continue;
      throw connectError(config, error);
    }
    endWhenSilent(client, config.socketTimeoutMs);
    try {
      await ensureSettings(client, role);
      // They may change data: only the connector itself runs them.
      if (role !== 'Validate Connection') await initialise(client, config.initialStatements, role);
    } catch (error) {
      await closeConnection(client);
      throw error;
    }
    return { client, tls };
  }
  throw new Error('unreachable: there is always an attempt');
}

/**
 * Runs `database.initial.statements`. Restores the text settings afterwards: the statements do not run on the
 * replication connection, and a snapshot must read the same text as the stream.
 */
async function initialise(client: Client, statements: readonly string[], role: Role): Promise<void> {
  if (statements.length === 0) return;
  try {
    for (const statement of statements) await client.query(statement);
    await ensureSettings(client, role, 'contents');
  } catch (error) {
    throw databaseError('A statement of database.initial.statements failed', error);
  }
}

/**
 * `socketTimeout` of the JDBC driver: ends the connection, with an error that is worth a retry, when nothing arrives
 * for so long while a query runs. A connection at rest stays open. @param timeoutMs 0: never
 */
function endWhenSilent(client: Client, timeoutMs: number): void {
  if (timeoutMs === 0) return;
  const { stream } = connectionOf(client);
  // The socket restarts the timeout with each read and write.
  stream.setTimeout(Math.min(timeoutMs, LONGEST_TIMER_MS));
  // A listener given to setTimeout would be called only once.
  stream.on('timeout', () => {
    const { bytesRead } = stream;
    // After a busy event loop, bytes may have arrived that are read only after its timers.
    setImmediate(() => {
      if (stream.bytesRead !== bytesRead || !runsQuery(client)) return;
      const error = new Error(
        `Connection terminated: a query has waited ${timeoutMs / 1000} s for the server (database.socketTimeout)`,
      );
      stream.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
    });
  });
}

export function connectError(config: ConnectionConfig, error: unknown): Error {
  if (isConnectError(error)) return error;
  const text = errorText(error).replace(
    'The server does not support SSL connections',
    'The server does not support SSL.',
  );
  const cause = new Error(text, { cause: error });
  const code = errorCode(error);
  const where = `Cannot connect to PostgreSQL at ${config.host}:${config.port}, database "${config.database}"`;
  const refused = refusedByPooler(where, error);
  if (refused !== null) return refused;
  const { routine } = (error ?? {}) as { routine?: unknown };
  return databaseError(where, code === '' ? cause : Object.assign(cause, { code, routine }));
}

/**
 * For `prefer` and `allow`: try the other way only if the server refused this one, not if it is unreachable or the
 * password is wrong.
 */
function mayTryNext(error: unknown): boolean {
  if (isConnectError(error)) return false;
  const code = errorCode(error);
  if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/.test(code)) return false;
  if (/timeout expired/.test(errorText(error))) return false;
  return code === '' || code === '28000' || !/^[0-9A-Z]{5}$/.test(code);
}

/** Closes a connection; waits at most two seconds for the server. */
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
