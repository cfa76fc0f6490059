/** The internals of kafkajs 2.2.4 that we use. They do not change: the version is pinned and kafkajs is frozen. */
declare module 'kafkajs/src/network/connection' {
  import type { Socket } from 'node:net';
  import type { ConnectionOptions } from 'node:tls';

  class Connection {
    constructor(options: {
      host: string;
      port: number;
      clientId: string;
      logger: Connection.KafkajsLogger;
      socketFactory: () => Socket;
      ssl: ConnectionOptions | null;
      sasl: Connection.KafkajsSasl | null;
      connectionTimeout: number;
      requestTimeout: number;
      enforceRequestTimeout: boolean;
    });
    readonly host: string;
    readonly port: number;
    readonly clientId: string;
    socket: Socket | undefined;
    connectionStatus: string;
    /** Time before the end of a session at which it is renewed, in whole milliseconds. */
    reauthenticationThreshold: number;
    /** As returned by the last authentication, milliseconds; 0: unlimited. */
    readonly sessionLifetime: { toNumber(): number };
    connect(): Promise<true>;
    disconnect(): Promise<true>;
    isConnected(): boolean;
    isAuthenticated(): boolean;
    authenticate(): Promise<void>;
    setVersions(versions: Record<number, { minVersion: number; maxVersion: number }>): void;
    setSupportAuthenticationProtocol(supported: boolean): void;
    nextCorrelationId(): number;
    processData(chunk: Buffer): void;
    rejectRequests(error: Error): void;
    readonly requestQueue: {
      fulfillRequest(response: { correlationId: number; payload: Buffer; size: number }): void;
      scheduleCheckPendingRequests(): void;
      destroy(): void;
    };
  }
  namespace Connection {
    interface KafkajsLogger {
      namespace(name: string): KafkajsLogger;
      debug(message: string, extra?: object): void;
      info(message: string, extra?: object): void;
      warn(message: string, extra?: object): void;
      error(message: string, extra?: object): void;
    }

    interface SaslExchange {
      request: { encode(): Promise<Buffer> };
      response?: { decode(bytes: Buffer): Promise<Buffer>; parse(bytes: Buffer): Promise<Buffer> };
    }

    interface SaslContext {
      host: string;
      port: number;
      logger: KafkajsLogger;
      saslAuthenticate(exchange: SaslExchange): Promise<Buffer>;
    }

    type AuthenticationProvider = (context: SaslContext) => { authenticate(): Promise<void> };

    interface KafkajsSasl {
      mechanism: string;
      username?: string;
      password?: string;
      authenticationProvider?: AuthenticationProvider;
    }
  }
  export = Connection;
}

declare module 'kafkajs/src/broker/saslAuthenticator/scram256' {
  import type Connection from 'kafkajs/src/network/connection';

  /** What `saslAuthenticate` resolves to has the attributes of a message of SCRAM. */
  function provider(sasl: { username: string; password: string }): Connection.AuthenticationProvider;
  export = provider;
}

declare module 'kafkajs/src/broker/saslAuthenticator/scram512' {
  import type Connection from 'kafkajs/src/network/connection';

  /** What `saslAuthenticate` resolves to has the attributes of a message of SCRAM. */
  function provider(sasl: { username: string; password: string }): Connection.AuthenticationProvider;
  export = provider;
}
