/**
 * Internals of `pg` that the connector relies on; no other file may. Its types do not declare them. Read in pg 8.23.1,
 * which package.json pins; a unit test checks that the installed version still has them.
 */
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Client } from 'pg';

/** A column of rows that follow, as the server describes it. */
export interface RowField {
  /** 0: computed by the query. */
  readonly tableID: number;
  readonly columnID: number;
  readonly dataTypeID: number;
}

/** `Connection` of lib/connection.js. */
export interface PgConnection {
  /** Set by the constructor; replaced by the TLS socket when the server accepts TLS, so read it after `connect`. */
  readonly stream: Socket | TLSSocket;
  /** Sends one CopyData message: the way to send status updates while START_REPLICATION runs. */
  sendCopyFromChunk(chunk: Buffer): void;
  /** Sends Terminate and lets the server close the socket. `Client.end` destroys it when a query is running. */
  end(): void;
  /** Of an EventEmitter: called before the rows of a statement arrive. */
  on(event: 'rowDescription', listener: (message: { readonly fields: readonly RowField[] }) => void): unknown;
}

/** `connection` of lib/client.js, set by the constructor. */
export function connectionOf(client: Client): PgConnection {
  return (client as unknown as { readonly connection: PgConnection }).connection;
}

/** `processID` of lib/client.js: pid of the server process, null until it has sent BackendKeyData. */
export function backendPid(client: Client): number | null {
  return (client as unknown as { readonly processID: number | null }).processID;
}

/** `replication` of lib/connection-parameters.js, for which an absent setting is that of PGREPLICATION. */
export function withoutReplication(client: Client): void {
  const { connectionParameters } = client as unknown as { readonly connectionParameters: { replication?: string } };
  delete connectionParameters.replication;
}

/** `enableChannelBinding` of lib/client.js, read when the server asks for SCRAM and the password is known. */
export function disableChannelBinding(client: Client): void {
  (client as unknown as { enableChannelBinding: boolean }).enableChannelBinding = false;
}

/** `_activeQuery` of lib/client.js, null between queries. Its public getter is deprecated. */
export function runsQuery(client: Client): boolean {
  return (client as unknown as { readonly _activeQuery: object | null })._activeQuery !== null;
}
