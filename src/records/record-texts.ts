/** Records through the converters of a connector, as bounded texts: what a converter cannot read says why. Pure. */
import { messageOf, type Converter, type HeaderConverter, type SchemaAndValue } from '@millrace/sdk';
import { bytesText } from './bytes-text';
import { jsonText } from './json-text';

/** What a converter needs of a record; its bytes may be sent to another thread. */
export interface RecordBytes {
  readonly topic: string;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly { readonly key: string; readonly value: Uint8Array | null }[];
}

export interface PartText {
  /** JSON, shortened; the beginning of the bytes where `error` says why they could not be read; null: a null. */
  readonly text: string | null;
  readonly error: string | null;
}

export interface RecordTexts {
  readonly key: PartText;
  readonly value: PartText;
  /** The first ones. */
  readonly headers: readonly (PartText & { readonly name: string })[];
  /** How many more there are. */
  readonly moreHeaders: number;
}

export interface RecordConverters {
  readonly key: { readonly converter: Converter };
  readonly value: { readonly converter: Converter };
  readonly header: { readonly converter: HeaderConverter };
}

/** Bytes of a record that is converted; larger ones are shown as bytes. */
const LARGEST_RECORD = 256 * 1024;
const MOST_HEADERS = 50;
/** Characters. */
const LONGEST_TEXT = 8_192;
const LONGEST_HEADER = 1_024;
const LONGEST_ERROR = 1_000;

export function isConvertible({ key, value, headers }: RecordBytes): boolean {
  const sizes = [key, value, ...headers.map((header) => header.value)].map((bytes) => bytes?.length ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0) <= LARGEST_RECORD;
}

/** Of a record that is not convertible. */
export function bytesTexts(record: RecordBytes): RecordTexts {
  const refuse = (): never => {
    throw new Error(`Not converted: the record is larger than ${LARGEST_RECORD / 1024} KiB.`);
  };
  return textsOf(record, { key: refuse, value: refuse, header: refuse });
}

export function recordTexts({ key, value, header }: RecordConverters, records: readonly RecordBytes[]): RecordTexts[] {
  return records.map((record) => {
    const { topic } = record;
    return textsOf(record, {
      key: (bytes) => key.converter.toConnectData(topic, bytes),
      value: (bytes) => value.converter.toConnectData(topic, bytes),
      header: (bytes, name) => header.converter.toConnectHeader(topic, name, bytes),
    });
  });
}

interface Reads {
  readonly key: (bytes: Uint8Array) => SchemaAndValue;
  readonly value: (bytes: Uint8Array) => SchemaAndValue;
  readonly header: (bytes: Uint8Array, name: string) => SchemaAndValue;
}

function textsOf({ key, value, headers }: RecordBytes, read: Reads): RecordTexts {
  return {
    key: part(key, LONGEST_TEXT, read.key),
    value: part(value, LONGEST_TEXT, read.value),
    headers: headers.slice(0, MOST_HEADERS).map(({ key: name, value: bytes }) => ({
      name: shortened(name, LONGEST_HEADER),
      ...part(bytes, LONGEST_HEADER, (given) => read.header(given, name)),
    })),
    moreHeaders: Math.max(0, headers.length - MOST_HEADERS),
  };
}

function part(bytes: Uint8Array | null, longest: number, read: (bytes: Uint8Array) => SchemaAndValue): PartText {
  if (bytes === null) return { text: null, error: null };
  try {
    return { text: shortened(jsonText(read(bytes)), longest), error: null };
  } catch (error) {
    return { text: bytesText(bytes, longest), error: shortened(messageOf(error), LONGEST_ERROR) };
  }
}

/** Does not split a pair of surrogates. */
function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(longest - 1)) ? longest - 1 : longest;
  return `${text.slice(0, end)}… (${(text.length - end).toLocaleString('en-US')} more characters)`;
}
