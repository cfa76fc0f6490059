/**
 * One connection to one broker. kafkajs's `Connection` authenticates it. Socket, requests, framing and timeouts are our
 * own, because kafkajs concatenates all buffered chunks for each new chunk and formats log lines for every request.
 */
import net from 'node:net';
import tls from 'node:tls';
import { Reader } from '@millrace/kafka-protocol';
import { startTimer } from '@millrace/sdk';
import Connection from 'kafkajs/src/network/connection';
import type { NetworkMetrics } from '../client-metrics';
import { addressText, type ConnectionSettings, type HostAndPort } from './client-config';
import { KafkaError } from '../errors';
import { FrameAssembler } from './frame-assembler';
import { authenticationFailed, kafkajsSasl } from './kafkajs-sasl';
import { apiVersionsRequest, type VersionRange } from '../protocol/api-versions';
import { RequestWriter } from './request-writer';
import { tlsFailure } from './tls-failure';
import type { WireRequest } from '../wire';

/** The first bytes of TLS, HTTP and other protocols, read as a size, exceed this. */
const MAX_RESPONSE_BYTES = 2 ** 28;
/** Limit for the responses to ApiVersions and authentication. */
const MAX_HANDSHAKE_BYTES = 2 ** 20;
/** Of the size before each frame. */
const SIZE_BYTES = 4;
const KEEP_ALIVE_MS = 60_000;
const WRONG_PROTOCOL = 'check that security.protocol is right for this port';

const silentKafkajsLogger: Connection.KafkajsLogger = {
  namespace: () => silentKafkajsLogger,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

interface Pending {
  readonly request: WireRequest<unknown>;
  readonly timer: NodeJS.Timeout;
  resolve(value: unknown): void;
  reject(error: KafkaError): void;
}

export class KafkaConnection extends Connection {
  private readonly frames = new FrameAssembler(MAX_HANDSHAKE_BYTES);
  private readonly pending = new Map<number, Pending>();
  private readonly tlsOptions: tls.ConnectionOptions | null;
  /** Null: no authentication. */
  private readonly mechanism: string | null;
  private readonly requestTimeoutMs: number;
  private readonly connectTimeoutMs: number;
  private writer: RequestWriter | null = null;
  private failure: KafkaError | null = null;
  private ready = false;
  /** At least one request after authentication has succeeded. */
  private served = false;
  private onFailure: ((error: KafkaError) => void) | null = null;
  brokerVersions: Map<number, VersionRange> = new Map();
  lastUsedAt = performance.now();

  constructor(
    readonly address: HostAndPort,
    settings: ConnectionSettings,
    private readonly metrics?: NetworkMetrics,
  ) {
    super({
      ...address,
      clientId: settings.clientId,
      logger: silentKafkajsLogger,
      socketFactory: () => {
        throw new Error('kafkajs must not open sockets');
      },
      ssl: settings.tls,
      sasl: settings.sasl === null ? null : kafkajsSasl(settings.sasl),
      connectionTimeout: settings.connectTimeoutMs,
      requestTimeout: settings.requestTimeoutMs,
      enforceRequestTimeout: false,
    });
    this.tlsOptions = settings.tls;
    this.mechanism = settings.sasl?.mechanism ?? null;
    this.requestTimeoutMs = settings.requestTimeoutMs;
    this.connectTimeoutMs = settings.connectTimeoutMs;
    // From its first response on, kafkajs's queue would check for pending requests every millisecond. Without a limit
    // on requests in flight there are none.
    this.requestQueue.scheduleCheckPendingRequests = () => undefined;
  }

  get usable(): boolean {
    return this.ready && this.failure === null;
  }

  get idle(): boolean {
    return this.pending.size === 0;
  }

  /** Connects, requests the API versions and authenticates. Rejects with a KafkaError that names the failed step. */
  async open(): Promise<void> {
    const failed = new Promise<never>((_, reject) => {
      this.onFailure = reject;
    });
    failed.catch(() => undefined);
    const timer = startTimer(
      () => this.fail(this.error(`was not established within ${this.connectTimeoutMs + this.requestTimeoutMs} ms`)),
      this.connectTimeoutMs + this.requestTimeoutMs,
    );
    try {
      await Promise.race([failed, this.establish()]);
      this.ready = true;
      this.frames.maxSize = MAX_RESPONSE_BYTES;
    } catch (cause) {
      const error = this.translate(cause);
      this.fail(error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  private async establish(): Promise<void> {
    await this.connect();
    this.brokerVersions = await this.write(apiVersionsRequest());
    this.setVersions(Object.fromEntries(this.brokerVersions));
    this.setSupportAuthenticationProtocol(true);
    if (this.mechanism !== null) await this.authenticate();
  }

  /**
   * Sessions are renewed after 85 to 95 % of their lifetime, as in Java. kafkajs renews them 10 s before their end: a
   * short session would be renewed with every request, which brokers refuse within a second of the last renewal.
   */
  override async authenticate(): Promise<void> {
    const timer = startTimer(
      () => this.fail(this.error(`was not authenticated within ${this.requestTimeoutMs} ms`)),
      this.requestTimeoutMs,
    );
    try {
      await super.authenticate();
    } finally {
      clearTimeout(timer);
    }
    this.reauthenticationThreshold = Math.floor(this.sessionLifetime.toNumber() * (0.05 + Math.random() * 0.1));
  }

  /**
   * Replaces kafkajs's `connect`, which never settles when the peer closes the connection during the TLS handshake, and
   * does not clear its timer when we close it.
   */
  override connect(): Promise<true> {
    return new Promise((resolve, reject) => {
      const timer = startTimer(
        () => this.fail(this.error(`could not be opened within ${this.connectTimeoutMs} ms`)),
        this.connectTimeoutMs,
      );
      const onConnect = (): void => {
        clearTimeout(timer);
        this.connectionStatus = 'connected';
        resolve(true);
      };
      const socket = openSocket(this.address, this.tlsOptions, onConnect);
      this.socket = socket;
      this.writer = new RequestWriter(socket);
      socket.on('data', (chunk: Buffer) => this.processData(chunk));
      socket.on('error', (cause) => this.fail(this.translate(cause)));
      socket.on('close', () => {
        clearTimeout(timer);
        const hint = this.served ? '' : `; ${WRONG_PROTOCOL}`;
        this.fail(this.error(`was closed by the broker${hint}`));
        reject(this.failure ?? new Error('closed'));
      });
    });
  }

  /** Requests are sent in call order. A session that is about to expire is re-authenticated first (KIP-368). */
  request<T>(request: WireRequest<T>): Promise<T> {
    if (this.mechanism === null || this.isAuthenticated()) return this.write(request);
    return this.reauthenticate().then(
      () => this.write(request),
      (cause: unknown) => {
        const error = this.translate(cause);
        this.fail(error);
        throw error;
      },
    );
  }

  /** kafkajs writes to the socket itself, so no request may be partly written. */
  private async reauthenticate(): Promise<void> {
    await this.writer?.idle();
    await this.authenticate();
  }

  private write<T>(request: WireRequest<T>): Promise<T> {
    const { writer } = this;
    if (this.failure !== null) return Promise.reject(this.failure);
    if (writer === null) return Promise.reject(this.error('is not open'));
    const refusal = request.refusal?.() ?? null;
    if (refusal !== null) return Promise.reject(refusal);
    this.lastUsedAt = performance.now();
    const correlationId = this.nextCorrelationId();
    const body = request.encode();
    const header = this.header(request, correlationId, body.length);
    this.metrics?.sent(header.length + body.length);
    return new Promise<T>((resolve, reject) => {
      if (request.noResponse !== true) {
        const timeoutMs = request.timeoutMs ?? this.requestTimeoutMs;
        const timer = startTimer(() => this.timedOut(correlationId, timeoutMs), timeoutMs);
        this.pending.set(correlationId, { request, timer, resolve: resolve as (value: unknown) => void, reject });
      }
      writer.write({
        header,
        body,
        refusal: request.refusal,
        written: (cause) => {
          if (request.noResponse !== true) return;
          if (cause == null) resolve(undefined as T);
          else reject(this.failure ?? this.error(`failed: ${cause.message}`, cause));
        },
        refused: (error) => {
          reject(error);
          this.fail(this.error(`was closed in the middle of ${request.apiName}, which may no longer be sent`));
        },
      });
    });
  }

  private header(request: WireRequest<unknown>, correlationId: number, bodySize: number): Buffer {
    const idSize = Buffer.byteLength(this.clientId);
    const size = 14 + idSize + (request.flexible === true ? 1 : 0);
    const header = Buffer.alloc(size);
    header.writeInt32BE(size - 4 + bodySize, 0);
    header.writeInt16BE(request.apiKey, 4);
    header.writeInt16BE(request.apiVersion, 6);
    header.writeInt32BE(correlationId, 8);
    header.writeInt16BE(idSize, 12);
    header.write(this.clientId, 14);
    return header;
  }

  override processData(chunk: Buffer): void {
    try {
      this.frames.push(chunk, (frame) => this.received(frame));
    } catch (cause) {
      const text = (cause as Error).message;
      this.fail(this.error(`received data that is not Kafka's protocol (${text}); ${WRONG_PROTOCOL}`, cause));
    }
  }

  private received(frame: Buffer): void {
    this.metrics?.received(frame.length + SIZE_BYTES);
    const correlationId = frame.readInt32BE(0);
    const pending = this.pending.get(correlationId);
    if (pending === undefined) {
      this.requestQueue.fulfillRequest({ correlationId, payload: frame.subarray(4), size: frame.length });
      return;
    }
    this.pending.delete(correlationId);
    clearTimeout(pending.timer);
    this.lastUsedAt = performance.now();
    try {
      const body = new Reader(frame.subarray(4));
      if (pending.request.flexibleResponse === true) body.skipTaggedFields();
      pending.resolve(pending.request.decode(body.bytes(body.remaining)));
      this.served = this.ready;
    } catch (cause) {
      pending.reject(cause instanceof KafkaError ? cause : this.error(`received an unreadable response`, cause));
    }
  }

  private timedOut(correlationId: number, timeoutMs: number): void {
    const pending = this.pending.get(correlationId);
    if (pending === undefined) return;
    this.pending.delete(correlationId);
    const where = addressText(this);
    const text = `Kafka broker ${where} did not respond to ${pending.request.apiName} within ${timeoutMs} ms`;
    pending.reject(new KafkaError('REQUEST_TIMED_OUT_CLIENT', text, { retriable: true }));
    this.fail(this.error(`was closed because ${pending.request.apiName} had no response within ${timeoutMs} ms`));
  }

  /** Closes at once and rejects the requests in flight with `error`. */
  fail(error: KafkaError): void {
    if (this.failure !== null) return;
    this.failure = error;
    this.connectionStatus = 'disconnected';
    this.rejectRequests(error);
    this.requestQueue.destroy();
    this.socket?.destroy();
    this.writer?.fail(error);
    for (const pending of this.pending.values()) {
      clearTimeout(pending.timer);
      pending.reject(error);
    }
    this.pending.clear();
    this.onFailure?.(error);
  }

  private error(problem: string, cause?: unknown): KafkaError {
    return new KafkaError('CONNECTION_FAILED', `The connection to Kafka broker ${addressText(this)} ${problem}`, {
      retriable: true,
      cause,
    });
  }

  private translate(cause: unknown): KafkaError {
    if (cause instanceof KafkaError) return cause;
    // Errors after the first failure are its consequences.
    if (this.failure !== null) return this.failure;
    const { name, message, code, type } = cause as { name?: string; message: string; code?: unknown; type?: string };
    const where = `Kafka broker ${addressText(this)}`;
    if (type === 'UNSUPPORTED_SASL_MECHANISM' || /mechanism is not supported/.test(message)) {
      const text = `${where} does not support sasl.mechanism ${this.mechanism}`;
      return new KafkaError('UNSUPPORTED_SASL_MECHANISM', text, { cause });
    }
    // After the handshake it means that a session was renewed too early; a new connection helps.
    if (type === 'ILLEGAL_SASL_STATE' && !this.ready) {
      const text = `${where} does not expect authentication on this port; ${WRONG_PROTOCOL}`;
      return new KafkaError('ILLEGAL_SASL_STATE', text, { cause });
    }
    if (name === 'KafkaJSSASLAuthenticationError' || type === 'SASL_AUTHENTICATION_FAILED') {
      const reason = message.replace(/^SASL [\w ]+ authentication failed: /, '');
      return authenticationFailed(this.host, this.port, String(this.mechanism), reason, cause);
    }
    const failure = tlsFailure(cause, this.host, this.port, Boolean(this.tlsOptions?.cert ?? this.tlsOptions?.pfx));
    if (failure !== null) return failure;
    // A plaintext port closes the connection of a TLS client.
    const hint = code === 'ECONNRESET' && this.tlsOptions !== null && !this.isConnected() ? `; ${WRONG_PROTOCOL}` : '';
    return this.error(`failed: ${message}${hint}`, cause);
  }
}

function openSocket(
  { host, port }: HostAndPort,
  options: tls.ConnectionOptions | null,
  onConnect: () => void,
): net.Socket {
  const base = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
  if (options === null) return net.connect(base, onConnect);
  const servername = net.isIP(host) === 0 ? { servername: host } : {};
  return tls.connect({ ...base, ...servername, ...options }, onConnect);
}
