import type { CheckedValue, ConfigKey, ConnectorConfig } from './config-def';
import type { RawCells, RawStruct } from './raw';
import type { ConnectValue } from './record';
import type { Schema } from './schema';

export interface SchemaAndValue {
  readonly schema: Schema | null;
  readonly value: ConnectValue;
}

/** A header as it is in Kafka. */
export interface RawHeader {
  readonly key: string;
  readonly value: Uint8Array | null;
}

/** The task whose records a converter, transformation or predicate gets. */
export interface TaskOwner {
  readonly connector: string;
  /** Counts from 0. */
  readonly task: number;
}

/**
 * Converts between Connect data and bytes, for record keys or values. A converter that needs something from elsewhere,
 * e.g. a schema, throws `ConverterNotReady`.
 */
export interface Converter {
  /**
   * Settings without the `key.converter.` / `value.converter.` prefix.
   * @param owner (Default: none; e.g. a command reads a topic)
   */
  configure(config: ConnectorConfig, isKey: boolean, owner?: TaskOwner): void;
  /**
   * Returns null for a tombstone. The bytes may be in a buffer that the converter reuses: copy them before the next
   * call. Throws DataError if the value cannot be converted.
   */
  fromConnectData(topic: string, schema: Schema | null, value: ConnectValue): Uint8Array | null;
  /**
   * The bytes that `fromConnectData` returns for the plain value of the row, without making it. Null: this converter
   * does not write the struct, or this row, so; it then gets the plain value. Optional.
   */
  fromRaw?(topic: string, struct: RawStruct, row: RawCells): Uint8Array | null;
  /**
   * Throws DataError if the bytes cannot be converted.
   * @param headers of the record (Default: none)
   */
  toConnectData(topic: string, bytes: Uint8Array | null, headers?: readonly RawHeader[]): SchemaAndValue;
  /** Whether `toConnectData` returns bytes as their text, `Buffer.toString('utf8')`, once configured. (Default: no) */
  readonly readsText?: boolean;
  /** No longer needed. (Default: holds nothing) */
  close?(): void;
}

/** Converts between Connect data and bytes, for record headers. */
export interface HeaderConverter {
  /** @param owner as of a converter */
  configure(config: ConnectorConfig, owner?: TaskOwner): void;
  fromConnectHeader(topic: string, key: string, schema: Schema | null, value: ConnectValue): Uint8Array | null;
  toConnectHeader(topic: string, key: string, bytes: Uint8Array | null): SchemaAndValue;
  /** No longer needed. (Default: holds nothing) */
  close?(): void;
}

/** The export of a converter plugin. */
export interface ConverterPlugin {
  readonly type: 'converter';
  readonly config: readonly ConfigKey[];
  /** As of connectors, for settings without their prefix. */
  checkValues?(settings: ConnectorConfig): Promise<readonly CheckedValue[]>;
  create(): Converter;
}

/** The export of a header converter plugin. */
export interface HeaderConverterPlugin {
  readonly type: 'header_converter';
  readonly config: readonly ConfigKey[];
  /** As of connectors, for settings without their prefix. */
  checkValues?(settings: ConnectorConfig): Promise<readonly CheckedValue[]>;
  create(): HeaderConverter;
}
