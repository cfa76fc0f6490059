/**
 * A converter whose schemas are in a schema registry, for any format. Per record nothing but look-ups in maps and the
 * compiled writer or reader; what needs the registry is done once per schema, while the task waits.
 */
import {
  ConverterNotReady,
  DataError,
  monotonicNow,
  type ConnectorConfig,
  type ConnectValue,
  type Converter,
  type RawCells,
  type RawHeader,
  type RawStruct,
  type Schema,
  type SchemaAndValue,
} from '@millrace/sdk';
import { ByteOutput } from './byte-output';
import type { RawValueWriter, SchemaFormat, ValueReader, ValueWriter } from './format';
import { openRegistry } from './registry/open-registry';
import { FOR_EVER, type Lease } from './registry/lease';
import type { OpenRegistry } from './registry/open-registry';
import type { RegisteredSchema, SchemaKey, SchemaText, SchemaType } from './registry/schema-registry';
import { FRAME_BYTES, FrameReader } from './wire/frame';

const NO_HEADERS: readonly RawHeader[] = [];
const NULL: SchemaAndValue = { schema: null, value: null };
/** Stands for the missing schema of values without one. */
const NO_SCHEMA = {};
const CONVERTERS: Readonly<Record<SchemaType, string>> = {
  AVRO: 'io.confluent.connect.avro.AvroConverter',
  JSON: 'io.confluent.connect.json.JsonSchemaConverter',
  PROTOBUF: 'io.confluent.connect.protobuf.ProtobufConverter',
};
/** Readers that are kept, so that records with ever new ids do not fill the memory. */
const MOST_READERS = 1_000;
const MOST_SCHEMAS = 1_000;

interface Writing {
  readonly topic: string;
  readonly schema: Schema | null;
  readonly writer: ValueWriter;
  readonly id: number;
  /** By `monotonicNow()`. Infinity: it does not change. */
  readonly until: number;
  readonly lease: Lease;
}

/** About the schemas of a topic that have the same text. */
interface Agreed {
  /** What records are written with. Null: their own schema. */
  readonly registered: RegisteredSchema | null;
  readonly id: number;
  readonly until: number;
  readonly lease: Lease;
}

/** Of a struct and a topic. */
interface RawWriting {
  readonly topic: string;
  readonly struct: RawStruct;
  /** Null: rows of the struct are written from plain values. */
  readonly writer: RawValueWriter | null;
  readonly id: number;
  readonly until: number;
  readonly lease: Lease;
}

interface Reading {
  readonly reader: ValueReader | Failure;
  readonly lease: Lease;
}

/** @param createFormat throws ConfigError */
export class RegistryConverter implements Converter {
  private format!: SchemaFormat;
  private registry!: OpenRegistry;
  private isKey = false;
  private frame!: FrameReader;
  private readonly output = new ByteOutput();
  /** Of the formats: what they compile, or why they cannot. */
  private readonly writers = new WeakMap<object, ValueWriter | Failure>();
  /** By content and topic: sources may make equal schemas for each record, which must not wait each time. */
  private readonly agreed = new Map<string, Map<string, Agreed>>();
  private readonly writings = new WeakMap<object, Map<string, Writing>>();
  private readonly raws = new WeakMap<RawStruct, Map<string, RawWriting>>();
  private readonly readers = new Map<SchemaKey, Reading>();
  private lastWriting: Writing | null = null;
  private lastRaw: RawWriting | null = null;
  private lastKey: SchemaKey | null = null;
  private lastReader: ValueReader | null = null;
  private lastLease: Lease = FOR_EVER;

  constructor(private readonly createFormat: (config: ConnectorConfig, isKey: boolean) => SchemaFormat) {}

  configure(config: ConnectorConfig, isKey: boolean): void {
    this.isKey = isKey;
    this.frame = new FrameReader(isKey);
    this.format = this.createFormat(config, isKey);
    this.registry = openRegistry(config);
  }

  fromConnectData(topic: string, schema: Schema | null, value: ConnectValue): Uint8Array | null {
    // As in Java, a tombstone registers no schema.
    if (value === null || value === undefined) if (schema === null || !this.isWritten(schema)) return null;
    const last = this.lastWriting;
    const { writer, id } =
      last !== null && last.schema === schema && last.topic === topic && isCurrent(last)
        ? last
        : this.writing(topic, schema);
    this.begin(id);
    return writer.write(value, this.output) ? this.output.finish() : null;
  }

  fromRaw(topic: string, struct: RawStruct, row: RawCells): Uint8Array | null {
    const last = this.lastRaw;
    const { writer, id } =
      last !== null && last.struct === struct && last.topic === topic && isCurrent(last)
        ? last
        : this.rawWriting(topic, struct);
    if (writer === null) return null;
    this.begin(id);
    return writer.write(row, this.output) ? this.output.finish() : null;
  }

  toConnectData(topic: string, bytes: Uint8Array | null, headers: readonly RawHeader[] = NO_HEADERS): SchemaAndValue {
    if (bytes === null) return NULL;
    const { frame } = this;
    const key = frame.read(bytes, headers);
    const last = this.lastReader;
    const reader = last !== null && this.lastKey === key && this.lastLease.isUsed ? last : this.reader(key);
    return reader.read(bytes, frame.at, frame.indexes);
  }

  private begin(id: number): void {
    const { output } = this;
    output.length = 0;
    output.reserve(FRAME_BYTES);
    output.view.setUint8(0, 0);
    output.view.setInt32(1, id);
    output.length = FRAME_BYTES;
  }

  private writing(topic: string, schema: Schema | null): Writing {
    const owner = schema ?? NO_SCHEMA;
    let topics = this.writings.get(owner);
    if (topics === undefined) this.writings.set(owner, (topics = new Map<string, Writing>()));
    const found = topics.get(topic);
    if (found !== undefined && isUsable(found)) return (this.lastWriting = found);
    const own = this.writer(schema);
    const agreed = this.agreed.get(contentOf(own.schema))?.get(topic);
    if (agreed !== undefined && isUsable(agreed)) {
      const { id, until, lease } = agreed;
      const made = { topic, schema, writer: this.writerAsAgreed(agreed, schema, own), id, until, lease };
      topics.set(topic, made);
      return (this.lastWriting = made);
    }
    const subject = this.registry.settings.subject(topic, this.isKey, own.recordName);
    throw new ConverterNotReady(
      this.agree(subject, own.schema).then((made) => this.keepAgreed(contentOf(own.schema), topic, made)),
    );
  }

  private rawWriting(topic: string, struct: RawStruct): RawWriting {
    let topics = this.raws.get(struct);
    if (topics === undefined) this.raws.set(struct, (topics = new Map<string, RawWriting>()));
    let found = topics.get(topic);
    if (found === undefined || !isUsable(found)) {
      const { writer, id, until, lease } = this.writing(topic, struct.schema);
      found = { topic, struct, writer: writer.raw?.(struct) ?? null, id, until, lease };
      topics.set(topic, found);
    }
    return (this.lastRaw = found);
  }

  /** What the settings say about the schema. As in Java, they count in this order. */
  private async agree(subject: string, schema: SchemaText): Promise<Agreed> {
    const { client, settings } = this.registry;
    if (!settings.autoRegister && settings.useSchemaId !== null) {
      const registered = await client.byKey(settings.useSchemaId);
      return { registered, id: registered.id, until: Infinity, lease: client.leaseOf(registered) };
    }
    if (!settings.autoRegister && settings.useLatestVersion) {
      const registered = await client.latest(subject);
      const until = monotonicNow() + settings.latestTtlMs;
      return { registered, id: registered.id, until, lease: client.leaseOf(registered) };
    }
    const request = settings.autoRegister ? client.register : client.lookUp;
    const answer = await request.call(client, subject, schema, settings.normalize);
    return { registered: null, id: answer.id, until: Infinity, lease: client.leaseOf(answer) };
  }

  private keepAgreed(content: string, topic: string, made: Agreed): void {
    const { agreed } = this;
    let topics = agreed.get(content);
    if (topics === undefined) {
      if (agreed.size >= MOST_SCHEMAS) agreed.delete(agreed.keys().next().value as string);
      agreed.set(content, (topics = new Map<string, Agreed>()));
    }
    topics.set(topic, made);
  }

  /** If a registered schema cannot hold the records, each fails, without another attempt. */
  private writerAsAgreed({ registered }: Agreed, schema: Schema | null, own: ValueWriter): ValueWriter {
    if (registered === null) return own;
    const writer = attempt(() =>
      this.format.writerOf(this.ofFormat(registered), schema, this.registry.settings.latestStrict),
    );
    if (!(writer instanceof Failure)) return writer;
    const write = (): never => {
      throw writer.error;
    };
    return { schema: own.schema, recordName: own.recordName, write };
  }

  /** Whether null is not a tombstone for the schema. */
  private isWritten(schema: Schema): boolean {
    this.output.length = 0;
    return this.writer(schema).write(null, this.output);
  }

  /** Compiled once, whatever becomes of it: records of a schema that is refused must not cost more than others. */
  private writer(schema: Schema | null): ValueWriter {
    const owner = schema ?? NO_SCHEMA;
    let writer = this.writers.get(owner);
    if (writer === undefined) {
      writer = attempt(() => this.format.writer(schema));
      this.writers.set(owner, writer);
    }
    if (writer instanceof Failure) throw writer.error;
    return writer;
  }

  /** A text of another format may be one of this, too, and mean something else. */
  private ofFormat(registered: RegisteredSchema): RegisteredSchema {
    if (registered.type === this.format.type) return registered;
    throw new DataError(
      `The schema is one of ${registered.type}, and this converter is for ${this.format.type}: use ${CONVERTERS[registered.type]}.`,
      { code: 'REGISTRY_TYPE', place: { id: registered.id } },
    );
  }

  private reader(key: SchemaKey): ValueReader {
    const { readers } = this;
    const found = readers.get(key);
    // Of an id that is gone, records still mean the schema that it had.
    if (found === undefined || found.lease.finding === 'other')
      throw new ConverterNotReady(
        this.registry.client.byKey(key).then((registered) => this.keepReader(key, registered)),
      );
    const { reader, lease } = found;
    if (!lease.isUsed) lease.use();
    if (reader instanceof Failure) throw reader.error;
    this.lastKey = key;
    this.lastLease = lease;
    return (this.lastReader = reader);
  }

  private keepReader(key: SchemaKey, registered: RegisteredSchema): void {
    const { readers } = this;
    const lease = this.registry.client.leaseOf(registered);
    if (readers.get(key)?.lease === lease) return;
    readers.delete(key);
    if (readers.size >= MOST_READERS) readers.delete(readers.keys().next().value as SchemaKey);
    readers.set(key, { reader: attempt(() => this.format.reader(this.ofFormat(registered))), lease });
  }
}

/** Why a schema cannot be compiled. */
class Failure {
  constructor(readonly error: unknown) {}
}

function attempt<T>(compile: () => T): T | Failure {
  try {
    return compile();
  } catch (error) {
    return new Failure(error);
  }
}

const contentOf = ({ text, references }: SchemaText): string =>
  references.length === 0 ? text : `${text}\n${JSON.stringify(references)}`;

interface Dated {
  readonly until: number;
  readonly lease: Lease;
}

const isCurrent = ({ until, lease }: Dated): boolean => lease.isUsed && (until === Infinity || monotonicNow() < until);

/** As `isCurrent`, and lets the registry's client know about the use. */
function isUsable({ until, lease }: Dated): boolean {
  if (lease.finding !== 'same' || (until !== Infinity && monotonicNow() >= until)) return false;
  if (!lease.isUsed) lease.use();
  return true;
}
