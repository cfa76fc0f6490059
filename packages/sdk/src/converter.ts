import type { ConfigKey, ConnectorConfig } from './config-def';
import type { ConnectValue } from './record';
import type { Schema } from './schema';

export interface SchemaAndValue {
  readonly schema: Schema | null;
  readonly value: ConnectValue;
}

/** Turns Connect data into bytes and back, for record keys or values. */
export interface Converter {
  /** Settings without the `key.converter.` / `value.converter.` prefix. */
  configure(config: ConnectorConfig, isKey: boolean): void;
  /**
   * Null is a tombstone. The bytes may lie in a buffer that the converter uses again: copy them before the next call.
   * Throws DataError.
   */
  fromConnectData(topic: string, schema: Schema | null, value: ConnectValue): Uint8Array | null;
  toConnectData(topic: string, bytes: Uint8Array | null): SchemaAndValue;
}

/** The same for record headers. */
export interface HeaderConverter {
  configure(config: ConnectorConfig): void;
  fromConnectHeader(topic: string, key: string, schema: Schema | null, value: ConnectValue): Uint8Array | null;
  toConnectHeader(topic: string, key: string, bytes: Uint8Array | null): SchemaAndValue;
}

/** What a converter plug-in exports. */
export interface ConverterPlugin {
  readonly type: 'converter';
  readonly config: readonly ConfigKey[];
  create(): Converter;
}

export interface HeaderConverterPlugin {
  readonly type: 'header_converter';
  readonly config: readonly ConfigKey[];
  create(): HeaderConverter;
}
