/** Bytes of the `connect` group protocol: member metadata and assignments. Source: connect-runtime §2.2 and §2.3. */
import type { ConnectorTaskId } from '../../connector-task-id';
import { NO_WORK, type Work } from './work';

export type ConnectProtocolName = 'default' | 'compatible' | 'sessioned';

const VERSIONS: Readonly<Record<ConnectProtocolName, number>> = { default: 0, compatible: 1, sessioned: 2 };
/** Begins what follows the fields that Java knows, and that Java ignores: "Mlrc". */
const EXTENSION = 0x4d6c7263;
/** Bit of what a member of Millrace can do. */
const MARKS = 1;
/** Stands for the connector instance in an array of tasks. */
const CONNECTOR = -1;

export interface MemberMetadata {
  /** The member's REST URL. */
  readonly url: string;
  readonly configOffset: number;
  /** Null when the member has no assignment, or uses the eager protocol. */
  readonly allocation: Assignment | null;
  /** The member knows reservations of the work of departed workers. (Default: false) */
  readonly reserves?: boolean;
  /** The member marks its internal requests, so that they are good once, for one connector. (Default: false) */
  readonly marks?: boolean;
}

export interface Assignment {
  /** True: nothing is assigned, because the leader is behind a member in the config topic. */
  readonly configMismatch: boolean;
  /** Member id. */
  readonly leader: string;
  readonly leaderUrl: string;
  readonly configOffset: number;
  /** Eager: all of the member's work; otherwise only what is new. */
  readonly assigned: Work;
  readonly revoked: Work;
  /** Milliseconds until all members must rejoin; 0: none. */
  readonly delay: number;
  /**
   * Worker id of each departed worker whose work the leader has reserved → milliseconds until its delay is over.
   * Absent: the leader follows Java's rules. Only sent under the cooperative protocols.
   */
  readonly missing?: ReadonlyMap<string, number>;
}

class Writer {
  private readonly parts: Buffer[] = [];
  int16(value: number): void {
    const bytes = Buffer.alloc(2);
    bytes.writeInt16BE(value);
    this.parts.push(bytes);
  }
  int32(value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    this.parts.push(bytes);
  }
  int64(value: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64BE(BigInt(value));
    this.parts.push(bytes);
  }
  string(value: string): void {
    const bytes = Buffer.from(value, 'utf8');
    this.int16(bytes.length);
    this.parts.push(bytes);
  }
  nullableBytes(value: Buffer | null): void {
    this.int32(value === null ? -1 : value.length);
    if (value !== null) this.parts.push(value);
  }
  bytes(): Buffer {
    return Buffer.concat(this.parts);
  }
}

/** Trailing fields that an older version lacks read as absent. */
class Reader {
  private at = 0;
  constructor(private readonly buffer: Buffer) {}
  get more(): boolean {
    return this.at < this.buffer.length;
  }
  /** Whether Millrace's own fields follow. */
  get extended(): boolean {
    return this.at + 4 <= this.buffer.length && this.int32() === EXTENSION;
  }
  int16(): number {
    this.at += 2;
    return this.buffer.readInt16BE(this.at - 2);
  }
  int32(): number {
    this.at += 4;
    return this.buffer.readInt32BE(this.at - 4);
  }
  int64(): number {
    this.at += 8;
    return Number(this.buffer.readBigInt64BE(this.at - 8));
  }
  string(): string {
    return this.slice(this.int16()).toString('utf8');
  }
  nullableBytes(): Buffer | null {
    const length = this.int32();
    return length < 0 ? null : this.slice(length);
  }
  private slice(length: number): Buffer {
    if (length < 0 || this.at + length > this.buffer.length)
      throw new RangeError(
        `a field of ${length} bytes at offset ${this.at} exceeds the buffer of ${this.buffer.length} bytes`,
      );
    this.at += length;
    return this.buffer.subarray(this.at - length, this.at);
  }
}

function writeWork(writer: Writer, work: Work): void {
  const entries = new Map<string, number[]>(work.connectors.map((connector) => [connector, [CONNECTOR]]));
  for (const { connector, task } of work.tasks) {
    const entry = entries.get(connector);
    if (entry) entry.push(task);
    else entries.set(connector, [task]);
  }
  writer.int32(entries.size);
  for (const [connector, tasks] of entries) {
    writer.string(connector);
    writer.int32(tasks.length);
    for (const task of tasks) writer.int32(task);
  }
}

function readWork(reader: Reader): Work {
  if (!reader.more) return NO_WORK;
  const connectors: string[] = [];
  const tasks: ConnectorTaskId[] = [];
  for (let entries = reader.int32(); entries > 0; entries--) {
    const connector = reader.string();
    for (let count = reader.int32(); count > 0; count--) {
      const task = reader.int32();
      if (task === CONNECTOR) connectors.push(connector);
      else tasks.push({ connector, task });
    }
  }
  return { connectors, tasks };
}

function writeMissing(writer: Writer, missing: ReadonlyMap<string, number>): void {
  writer.int32(EXTENSION);
  writer.int32(missing.size);
  for (const [worker, delay] of missing) {
    writer.string(worker);
    writer.int32(delay);
  }
}

function readMissing(reader: Reader): Map<string, number> {
  const missing = new Map<string, number>();
  for (let count = reader.int32(); count > 0; count--) missing.set(reader.string(), reader.int32());
  return missing;
}

export function encodeAssignment(protocol: ConnectProtocolName, assignment: Assignment): Buffer {
  const writer = new Writer();
  writer.int16(VERSIONS[protocol]);
  writer.int16(assignment.configMismatch ? 1 : 0);
  writer.string(assignment.leader);
  writer.string(assignment.leaderUrl);
  writer.int64(assignment.configOffset);
  writeWork(writer, assignment.assigned);
  if (protocol !== 'default') {
    writeWork(writer, assignment.revoked);
    writer.int32(assignment.delay);
    if (assignment.missing) writeMissing(writer, assignment.missing);
  }
  return writer.bytes();
}

/** Accepts any version and missing trailing fields. Throws RangeError for bytes that are not an assignment. */
export function decodeAssignment(bytes: Buffer): Assignment {
  const reader = new Reader(bytes);
  reader.int16();
  return {
    configMismatch: reader.int16() !== 0,
    leader: reader.string(),
    leaderUrl: reader.string(),
    configOffset: reader.int64(),
    assigned: readWork(reader),
    revoked: readWork(reader),
    delay: reader.more ? reader.int32() : 0,
    ...(reader.extended ? { missing: readMissing(reader) } : {}),
  };
}

export function encodeMetadata(protocol: ConnectProtocolName, metadata: MemberMetadata): Buffer {
  const writer = new Writer();
  writer.int16(VERSIONS[protocol]);
  writer.string(metadata.url);
  writer.int64(metadata.configOffset);
  if (protocol !== 'default') {
    writer.nullableBytes(metadata.allocation && encodeAssignment(protocol, metadata.allocation));
    if (metadata.reserves) {
      writer.int32(EXTENSION);
      if (metadata.marks) writer.int32(MARKS);
    }
  }
  return writer.bytes();
}

/** Accepts any version and a missing allocation. Throws RangeError for bytes that are not metadata. */
export function decodeMetadata(bytes: Buffer): MemberMetadata {
  const reader = new Reader(bytes);
  reader.int16();
  const url = reader.string();
  const configOffset = reader.int64();
  const allocation = reader.more ? reader.nullableBytes() : null;
  return {
    ...{ url, configOffset, allocation: allocation === null ? null : decodeAssignment(allocation) },
    ...(reader.extended
      ? { reserves: true, ...(reader.more && (reader.int32() & MARKS) !== 0 ? { marks: true } : {}) }
      : {}),
  };
}

type ProtocolNames = [ConnectProtocolName, ...ConnectProtocolName[]];

/** Names offered when joining, in order of preference. */
export function offeredProtocols(setting: 'eager' | 'compatible' | 'sessioned'): ProtocolNames {
  if (setting === 'eager') return ['default'];
  return setting === 'compatible' ? ['compatible', 'default'] : ['sessioned', 'compatible', 'default'];
}
