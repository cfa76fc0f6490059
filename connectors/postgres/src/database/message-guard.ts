/**
 * Checks what a server sends before pg's parser receives it. The parser buffers a message of any length, and does not
 * return from an error or notice whose end is missing.
 */
import { ConnectError } from '@millrace/sdk';

/** The limit of libpq for errors of a server that has not authenticated its client yet. */
const MAX_BEFORE_READY = 30_000;
/** Of messages other than rows and copied data: texts of errors and notices may quote statements and values. */
const MAX_OTHER = 16 * 1024 * 1024;
/** PostgreSQL builds a message in memory that it cannot allocate beyond this size. */
export const MAX_MESSAGE = 1024 * 1024 * 1024;

const HEADER = 5;
const LENGTH_SIZE = 4;
const COPY_DATA = 0x64; // d
const DATA_ROW = 0x44; // D
const READY_FOR_QUERY = 0x5a; // Z
const ERROR = 0x45; // E
const NOTICE = 0x4e; // N

export class MessageGuard {
  private readonly header = Buffer.alloc(HEADER);
  /** Bytes of the header that were received. */
  private filled = 0;
  private type = 0;
  /** Bytes of the message that are still to come. */
  private left = 0;
  /** The last two bytes of an error or notice. */
  private last = 0;
  private isReady = false;
  /** Bytes of the rows of the answer; pg keeps them until its end. */
  private rows = 0;

  /**
   * @param server `host:port`, for errors
   * @param maxAnswer bytes of all rows of one answer
   */
  constructor(
    private readonly server: string,
    private readonly maxAnswer: number = MAX_MESSAGE,
  ) {}

  /** Call with everything that is received. Throws ConnectError before anything of the message may be parsed. */
  check(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      if (this.filled < HEADER) {
        at += this.readHeader(chunk, at);
        if (this.filled < HEADER) return;
      }
      const end = Math.min(chunk.length, at + this.left);
      if (end > at) {
        if (end - at > 1) this.last = chunk.readUInt16BE(end - 2);
        else this.last = ((this.last << 8) | (chunk[at] as number)) & 0xffff;
        this.left -= end - at;
        at = end;
      }
      if (this.left === 0) this.finish();
    }
  }

  /** Of a message that arrives in parts, wherever it is assembled. Throws ConnectError. */
  checkLength(type: number, length: number): void {
    const isData = type === DATA_ROW || type === COPY_DATA;
    const limit = this.isReady ? (isData ? MAX_MESSAGE : MAX_OTHER) : MAX_BEFORE_READY;
    if (length > limit) {
      const when = this.isReady ? '' : ' before its session was ready';
      throw this.error(`a message of type ${shown(type)} with ${length} bytes${when}; at most ${limit} are allowed`);
    }
    if (length < LENGTH_SIZE) throw this.error(`a message of type ${shown(type)} with the length ${length}`);
  }

  error(what: string, cause?: unknown): ConnectError {
    const message = `The server at ${this.server} sent ${what}. Check that database.hostname and database.port are those of a PostgreSQL server.`;
    return new ConnectError(message, { code: 'PG_SERVER_MESSAGE', cause });
  }

  /** Returns the number of bytes read. */
  private readHeader(chunk: Buffer, at: number): number {
    let taken = HEADER;
    if (this.filled === 0 && at + HEADER <= chunk.length) {
      this.begin(chunk[at] as number, chunk.readUInt32BE(at + 1));
    } else {
      taken = chunk.copy(this.header, this.filled, at, Math.min(chunk.length, at + HEADER - this.filled));
      if (this.filled + taken === HEADER) this.begin(this.header[0] as number, this.header.readUInt32BE(1));
    }
    this.filled += taken;
    return taken;
  }

  private begin(type: number, length: number): void {
    this.checkLength(type, length);
    if (type === DATA_ROW && (this.rows += length) > this.maxAnswer)
      throw this.error(`more than ${this.maxAnswer} bytes of rows in one answer`);
    this.type = type;
    this.left = length - LENGTH_SIZE;
    // One byte, which is 0, has no text before it.
    this.last = this.left === 1 ? 0 : 0xffff;
  }

  private finish(): void {
    this.filled = 0;
    const { type } = this;
    if (type === READY_FOR_QUERY) {
      this.isReady = true;
      this.rows = 0;
    } else if ((type === ERROR || type === NOTICE) && this.last !== 0) {
      throw this.error(`a message of type ${shown(type)} whose end is missing`);
    }
  }
}

function shown(type: number): string {
  return type > 0x20 && type < 0x7f ? `'${String.fromCharCode(type)}'` : `0x${type.toString(16)}`;
}
