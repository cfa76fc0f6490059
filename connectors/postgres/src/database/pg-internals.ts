/**
 * Internals of `pg` that the connector relies on; no other file may. Its types do not declare them. Read in pg 8.23.1,
 * which package.json pins; a unit test checks that the installed version still has them.
 */
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isConnectError } from '@millrace/sdk';
import { Connection, type Client, type ClientConfig, type Submittable } from 'pg';
import type { MessageGuard } from './message-guard';

/** A column of rows that follow, as the server describes it. */
export interface RowField {
  /** 0: computed by the query. */
  readonly tableID: number;
  readonly columnID: number;
  readonly dataTypeID: number;
}

/** `Connection` of lib/connection.js. */
interface PgConnection {
  /** Set by the constructor; replaced by the TLS socket when the server accepts TLS, so read it after `connect`. */
  readonly stream: Socket | TLSSocket;
  readonly guard: MessageGuard;
  /** Sends one CopyData message: the way to send status updates while START_REPLICATION runs. */
  sendCopyFromChunk(chunk: Buffer): void;
  /** Sends Terminate and lets the server close the socket. `Client.end` destroys it when a query is running. */
  end(): void;
  /** Each sends one message. Execute asks for up to `rows` more rows of the portal. */
  describe(of: { readonly type: 'P'; readonly name: string }): void;
  execute(of: { readonly portal: string; readonly rows: number }): void;
  sync(): void;
  /** Of an EventEmitter: called before the rows of a statement arrive. */
  on(event: 'rowDescription', listener: (message: { readonly fields: readonly RowField[] }) => void): unknown;
}

type Listener = (chunk: Buffer) => void;
/** What pg-protocol uses of a stream: it adds one listener of `data` and one of `end`. */
type ParsedStream = Pick<Socket, 'on'>;
interface Attaching {
  /** Of lib/connection.js: attaches the parser. Called with the socket, or with the TLS socket instead. */
  attachListeners(stream: ParsedStream): void;
}

/** An option of `Client`: a connection whose parser receives nothing that the guard rejects. */
export class GuardedConnection extends Connection {
  constructor(
    options: Pick<ClientConfig, 'ssl' | 'keepAlive' | 'stream'>,
    readonly guard: MessageGuard,
  ) {
    super(options);
  }

  attachListeners(stream: Socket): void {
    const on = (event: string, listener: Listener): Socket =>
      stream.on(event, event === 'data' ? this.guarded(stream, listener) : listener);
    (Connection.prototype as unknown as Attaching).attachListeners.call(this, { on } as unknown as ParsedStream);
  }

  private guarded(stream: Socket, parse: Listener): Listener {
    return (chunk) => {
      if (stream.destroyed) return;
      try {
        this.guard.check(chunk);
        parse(chunk);
      } catch (error) {
        // Thrown further, it would end the thread.
        stream.destroy(isConnectError(error) ? error : this.guard.error('a message that cannot be read', error));
      }
    };
  }
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

/**
 * Resolves when the server has sent up to `rows` more rows of a cursor, which a tap must take: true if there may be
 * others. FETCH does the same, but the server copies the rows of a FETCH before it sends the first.
 * @param describe rows are described before they are sent, as by FETCH
 */
export function fetchFrom(client: Client, cursor: string, rows: number, describe: boolean): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let isSuspended = false;
    const submit = (connection: PgConnection): void => {
      const { stream } = connection;
      stream.cork();
      if (describe) connection.describe({ type: 'P', name: cursor });
      connection.execute({ portal: cursor, rows });
      connection.sync();
      stream.uncork();
    };
    // What lib/client.js calls of an object with `submit`.
    const query = {
      submit,
      handleRowDescription: () => undefined,
      handlePortalSuspended: () => (isSuspended = true),
      handleCommandComplete: () => undefined,
      handleError: reject,
      handleReadyForQuery: () => resolve(isSuspended),
    };
    client.query(query as unknown as Submittable);
  });
}
