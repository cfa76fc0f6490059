import {
  ConfigError,
  type ConnectError,
  DataError,
  isConfigError,
  isConnectError,
  messageOf,
  RetriableError,
} from '@millrace/sdk';
import { DataReader } from '../data/data-reader';
import { DataWriter } from '../data/data-writer';
import type { HostSession } from '../jvm/jvms';
import { ByteReader } from '../wire/byte-reader';
import { ByteWriter } from '../wire/byte-writer';
import type { HostMap, HostValue } from '../wire/host-value';
import { JavaError } from '../wire/java-error';
import { ProtocolError } from '../wire/protocol-error';
import { StringCache } from '../wire/string-cache';
import { MAX_RECORD, TooLarge } from '../wire/too-large';
import type { JavaElement } from './java-element';

/** What another JVM would not help against. */
const LASTING = new Set(['JAVA_MISSING', 'JAVA_HOST_NOT_BUILT']);

/** A session that is open: the schemas that both sides know are its own. */
export interface OpenSession {
  readonly session: HostSession;
  readonly writer: DataWriter;
  readonly reader: DataReader;
}

/** The session of one plugin instance. Opened when it is first needed, and again when its JVM has ended. */
export class ElementSession {
  private opening: Promise<OpenSession> | null = null;
  private readonly closed = new AbortController();
  private readonly out = new ByteWriter();
  private readonly strings = new StringCache();

  constructor(
    private readonly element: JavaElement,
    private readonly kind: HostMap & { readonly kind: string },
  ) {}

  /**
   * Rejects with RetriableError while there is no JVM, with ConfigError if the plugin cannot be created with its
   * settings.
   */
  opened(): Promise<OpenSession> {
    if (this.closed.signal.aborted)
      return Promise.reject(new RetriableError('The plugin is closed.', { code: 'JVM_SESSION_CLOSED' }));
    this.opening ??= this.open();
    return this.opening;
  }

  /**
   * Calls the plugin. Rejects with JavaError for an exception of the plugin, with DataError for what cannot be sent,
   * with ConfigError for an answer that cannot be read, else as `opened`.
   */
  async ask<T>(
    method: string,
    args: (open: OpenSession) => readonly HostValue[],
    read: (answer: HostValue, open: OpenSession) => T,
  ): Promise<T> {
    const open = await this.opened();
    const sent = args(open);
    let answer: HostValue;
    try {
      answer = await open.session.call(method, ...sent);
    } catch (error) {
      throw error instanceof JavaError || error instanceof TooLarge ? error : this.noAnswer(error);
    }
    try {
      return read(answer, open);
    } catch (error) {
      // Later bytes would mean something else.
      if (!(error instanceof DataError)) open.session.close();
      throw error instanceof ProtocolError ? this.noAnswer(error) : error;
    }
  }

  /** The bytes of data for the host. Throws DataError; nothing of them counts as sent then. */
  encode({ writer }: OpenSession, write: (out: ByteWriter, writer: DataWriter) => void): Buffer {
    const { mark } = writer;
    this.out.limit(MAX_RECORD, 'The record');
    try {
      write(this.out, writer);
      return this.out.take();
    } catch (error) {
      this.out.truncate(0);
      writer.rollBack(mark);
      throw error;
    }
  }

  /** Reads what the host has sent. Throws ProtocolError, and DataError of `read` once all is read. */
  decode<T>(open: OpenSession, bytes: HostValue, read: (input: ByteReader, reader: DataReader) => T): T {
    if (!(bytes instanceof Uint8Array)) throw new ProtocolError('an answer has no bytes');
    const input = new ByteReader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), this.strings);
    const result = read(input, open.reader);
    input.end();
    return result;
  }

  close(): void {
    this.closed.abort();
    const { opening } = this;
    this.opening = null;
    opening?.then(
      ({ session }) => session.close(),
      () => undefined,
    );
  }

  private async open(): Promise<OpenSession> {
    try {
      const session = await this.element.open({ ...this.kind, class: this.element.class }, this.closed.signal);
      if (this.closed.signal.aborted) session.close();
      void session.ended.then(() => (this.opening = null));
      return { session, writer: new DataWriter(), reader: new DataReader() };
    } catch (error) {
      this.opening = null;
      throw this.reason(error);
    }
  }

  private reason(error: unknown): unknown {
    const { class: name } = this.element;
    // Never the exception itself: it is no record's.
    if (error instanceof JavaError)
      return new ConfigError(`${name} cannot be created in its JVM: ${messageOf(error)}`, {
        code: 'JAVA_PLUGIN_FAILED',
        cause: error,
      });
    if (isConfigError(error)) return error;
    if (isConnectError(error) && LASTING.has(error.code)) return lasting(error);
    return this.noAnswer(error);
  }

  private noAnswer(error: unknown): ConnectError {
    // Another JVM would say the same. Not the error of one record, which `errors.tolerance` would skip: of all.
    return error instanceof ProtocolError || error instanceof TooLarge
      ? lasting(error)
      : jvmGone(this.element.class, error);
  }
}

function lasting(error: ConnectError): ConfigError {
  return new ConfigError(messageOf(error), { code: error.code, cause: error });
}

/** The task waits, and opens a session in another JVM. */
export function jvmGone(name: string, error: unknown): RetriableError {
  return new RetriableError(`${name} waits for its JVM: ${messageOf(error)}`, {
    code: isConnectError(error) ? error.code : 'JVM_ENDED',
    cause: error,
  });
}
