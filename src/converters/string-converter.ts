/** `org.apache.kafka.connect.storage.StringConverter`. Source: connect-runtime §6.3. */
import {
  ConfigError,
  javaText,
  schema as makeSchema,
  type ConfigKey,
  type ConnectorConfig,
  type ConnectValue,
  type Converter,
  type Schema,
  type SchemaAndValue,
} from '@millrace/sdk';
import { CONVERTER_TYPE } from './converter-type';

export const STRING_CONFIG: readonly ConfigKey[] = [
  CONVERTER_TYPE,
  {
    name: 'converter.encoding',
    type: 'STRING',
    default: 'UTF-8',
    importance: 'HIGH',
    documentation: 'Character set of the bytes, by its Java name.',
    width: 'MEDIUM',
    displayName: 'Encoding',
  },
];

const OPTIONAL_STRING = makeSchema('STRING', { optional: true });

interface Charset {
  encode(text: string): Buffer;
  decode(bytes: Buffer): string;
}

/** Java replaces characters that the charset lacks with `?`. */
const limited = (max: number): Charset => ({
  encode: (text) =>
    Buffer.from(Array.from(text, (c) => ((c.codePointAt(0) as number) > max ? '?' : c)).join(''), 'latin1'),
  decode: (bytes) =>
    max > 127 ? bytes.toString('latin1') : bytes.toString('latin1').replace(/[\u0080-\u00ff]/g, '\ufffd'),
});
const utf8: Charset = { encode: (text) => Buffer.from(text), decode: (bytes) => bytes.toString('utf8') };
/** Malformed characters, such as an odd last byte, become U+FFFD. */
const utf16Text = (encoding: 'utf-16le' | 'utf-16be', bytes: Buffer): string =>
  new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
const utf16le: Charset = {
  encode: (text) => Buffer.from(text, 'utf16le'),
  decode: (bytes) => utf16Text('utf-16le', bytes),
};
const utf16be: Charset = {
  encode: (text) => Buffer.from(text, 'utf16le').swap16(),
  decode: (bytes) => utf16Text('utf-16be', bytes),
};
const utf16: Charset = {
  encode: (text) => utf16be.encode('\ufeff' + text),
  decode: (bytes) => {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return utf16le.decode(bytes.subarray(2));
    return utf16be.decode(bytes[0] === 0xfe && bytes[1] === 0xff ? bytes.subarray(2) : bytes);
  },
};
const CHARSETS: Readonly<Record<string, Charset>> = {
  UTF8: utf8,
  ISO88591: limited(255),
  LATIN1: limited(255),
  USASCII: limited(127),
  ASCII: limited(127),
  UTF16: utf16,
  UTF16BE: utf16be,
  UTF16LE: utf16le,
};

export class StringConverter implements Converter {
  private charset: Charset = utf8;

  configure(config: ConnectorConfig): void {
    const name = config['converter.encoding'] ?? 'UTF-8';
    const charset = CHARSETS[name.toUpperCase().replace(/[-_]/g, '')];
    if (!charset) {
      throw new ConfigError(
        `converter.encoding=${name} is not supported: use UTF-8, ISO-8859-1, US-ASCII, UTF-16, UTF-16BE or UTF-16LE.`,
        { code: 'CONVERTER_ENCODING' },
      );
    }
    this.charset = charset;
  }

  get readsText(): boolean {
    return this.charset === utf8;
  }

  fromConnectData(_topic: string, schema: Schema | null, value: ConnectValue): Uint8Array | null {
    if (value === null || value === undefined) return null;
    return this.charset.encode(javaText(schema, value));
  }

  toConnectData(_topic: string, bytes: Uint8Array | null): SchemaAndValue {
    if (bytes === null) return { schema: OPTIONAL_STRING, value: null };
    return {
      schema: OPTIONAL_STRING,
      value: this.charset.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    };
  }
}
