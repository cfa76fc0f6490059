/**
 * A converter whose schemas are in a schema registry, for any format. Per record nothing but look-ups in maps and the
 * compiled writer or reader; what needs the registry is done once per schema, while the task waits.
 */
import {
  ConverterNotReady,
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
import type { OpenRegistry } from './registry/open-registry';
import type { SchemaKey } from './registry/schema-registry';
import { FRAME_BYTES, readFrame } from './wire/frame';

const NO_HEADERS: readonly RawHeader[] = [];
const NULL: SchemaAndValue = { schema: null, value: null };
/** Stands for the missing schema of values without one. */
const NO_SCHEMA = {};
/** Readers that are kept, so that records with ever new ids do not fill the memory. */
const MOST_READERS = 1_000;

interface Writing {
  readonly topic: string;
  readonly schema: Schema | null;
  readonly writer: ValueWriter;
  readonly id: number;
}

/** Of a struct and a topic. */
interface RawWriting {
  readonly topic: string;
  readonly struct: RawStruct;
  /** Null: rows of the struct are written from plain values. */
  readonly writer: RawValueWriter | null;
  readonly id: number;
}

/** @param createFormat throws ConfigError */
export class RegistryConverter implements Converter {
  private format!: SchemaFormat;
  private registry!: OpenRegistry;
  private isKey = false;
  private idHeader = '';
  private readonly output = new ByteOutput();
  private readonly writings = new WeakMap<object, Map<string, Writing>>();
  private readonly raws = new WeakMap<RawStruct, Map<string, RawWriting>>();
  private readonly readers = new Map<SchemaKey, ValueReader>();
  private lastWriting: Writing | null = null;
  private lastRaw: RawWriting | null = null;
  private lastKey: SchemaKey | null = null;
  private lastReader: ValueReader | null = null;

  constructor(private readonly createFormat: (config: ConnectorConfig, isKey: boolean) => SchemaFormat) {}

  configure(config: ConnectorConfig, isKey: boolean): void {
    this.isKey = isKey;
    this.idHeader = isKey ? '__key_schema_id' : '__value_schema_id';
    this.format = this.createFormat(config, isKey);
    this.registry = openRegistry(config);
  }

  fromConnectData(topic: string, schema: Schema | null, value: ConnectValue): Uint8Array | null {
    if (schema === null && (value === null || value === undefined)) return null;
    const last = this.lastWriting;
    const { writer, id } =
      last !== null && last.schema === schema && last.topic === topic ? last : this.writing(topic, schema);
    this.begin(id);
    return writer.write(value, this.output) ? this.output.finish() : null;
  }

  fromRaw(topic: string, struct: RawStruct, row: RawCells): Uint8Array | null {
    const last = this.lastRaw;
    const { writer, id } =
      last !== null && last.struct === struct && last.topic === topic ? last : this.rawWriting(topic, struct);
    if (writer === null) return null;
    this.begin(id);
    return writer.write(row, this.output) ? this.output.finish() : null;
  }

  toConnectData(topic: string, bytes: Uint8Array | null, headers: readonly RawHeader[] = NO_HEADERS): SchemaAndValue {
    if (bytes === null) return NULL;
    const { key, at, indexes } = readFrame(bytes, headers, this.idHeader);
    const reader = this.lastReader !== null && this.lastKey === key ? this.lastReader : this.reader(key);
    return reader.read(bytes, at, indexes);
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
    if (found !== undefined) return (this.lastWriting = found);
    const own = topics;
    throw new ConverterNotReady(
      this.registered(topic, schema).then((made) => own.set(topic, { topic, schema, ...made })),
    );
  }

  private rawWriting(topic: string, struct: RawStruct): RawWriting {
    let topics = this.raws.get(struct);
    if (topics === undefined) this.raws.set(struct, (topics = new Map<string, RawWriting>()));
    let found = topics.get(topic);
    if (found === undefined) {
      const { writer, id } = this.writing(topic, struct.schema);
      found = { topic, struct, writer: writer.raw?.(struct) ?? null, id };
      topics.set(topic, found);
    }
    return (this.lastRaw = found);
  }

  /** The writer of the schema that the settings say, and its id. */
  private async registered(
    topic: string,
    schema: Schema | null,
  ): Promise<{ readonly writer: ValueWriter; readonly id: number }> {
    const { format } = this;
    const { client, settings } = this.registry;
    const own = format.writer(schema);
    const subject = settings.subject(topic, this.isKey, own.recordName);
    if (settings.useSchemaId !== null || settings.useLatestVersion) {
      const registered =
        settings.useSchemaId !== null ? await client.byKey(settings.useSchemaId) : await client.latest(subject);
      return { writer: format.writerOf(registered, schema, settings.latestStrict), id: registered.id };
    }
    const request = settings.autoRegister ? client.register : client.lookUp;
    const { id } = await request.call(client, subject, own.schema, settings.normalize);
    return { writer: own, id };
  }

  private reader(key: SchemaKey): ValueReader {
    const { readers } = this;
    const found = readers.get(key);
    if (found === undefined)
      throw new ConverterNotReady(
        this.registry.client.byKey(key).then((registered) => {
          if (readers.size >= MOST_READERS) readers.delete(readers.keys().next().value as SchemaKey);
          readers.set(key, this.format.reader(registered));
        }),
      );
    this.lastKey = key;
    return (this.lastReader = found);
  }
}
