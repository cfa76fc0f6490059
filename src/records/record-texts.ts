/** Records through the converters of a connector, as bounded texts: what a converter cannot read says why. */
import {
  convertWhenReady,
  messageOf,
  monotonicNow,
  withDeadline,
  type Converter,
  type HeaderConverter,
  type SchemaAndValue,
} from '@millrace/sdk';
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
/** Of all records together for their converters. */
const LONGEST_WAIT_MS = 7_000;
/** Characters. */
const LONGEST_TEXT = 8_192;
const LONGEST_HEADER = 1_024;
const LONGEST_ERROR = 1_000;

export function isConvertible({ key, value, headers }: RecordBytes): boolean {
  const sizes = [key, value, ...headers.map((header) => header.value)].map((bytes) => bytes?.length ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0) <= LARGEST_RECORD;
}

/** Of a record that is not convertible. */
export function bytesTexts({ key, value, headers }: RecordBytes): RecordTexts {
  const error = `Not converted: the record is larger than ${LARGEST_RECORD / 1024} KiB.`;
  const text = (bytes: Uint8Array | null, longest: number): PartText => unread(bytes, longest, error);
  return {
    key: text(key, LONGEST_TEXT),
    value: text(value, LONGEST_TEXT),
    headers: headers.slice(0, MOST_HEADERS).map(({ key: name, value: bytes }) => ({
      name: shortened(name, LONGEST_HEADER),
      ...text(bytes, LONGEST_HEADER),
    })),
    moreHeaders: Math.max(0, headers.length - MOST_HEADERS),
  };
}

export async function recordTexts(
  { key, value, header }: RecordConverters,
  records: readonly RecordBytes[],
): Promise<RecordTexts[]> {
  const deadline = monotonicNow() + LONGEST_WAIT_MS;
  const texts: RecordTexts[] = [];
  for (const record of records) {
    const { topic, headers } = record;
    const reads: Reads = {
      key: (bytes) => key.converter.toConnectData(topic, bytes, headers),
      value: (bytes) => value.converter.toConnectData(topic, bytes, headers),
      header: (bytes, name) => header.converter.toConnectHeader(topic, name, bytes),
    };
    texts.push(await textsOf(record, reads, deadline));
  }
  return texts;
}

interface Reads {
  readonly key: (bytes: Uint8Array) => SchemaAndValue;
  readonly value: (bytes: Uint8Array) => SchemaAndValue;
  readonly header: (bytes: Uint8Array, name: string) => SchemaAndValue;
}

async function textsOf({ key, value, headers }: RecordBytes, read: Reads, deadline: number): Promise<RecordTexts> {
  const shown: (PartText & { readonly name: string })[] = [];
  for (const { key: name, value: bytes } of headers.slice(0, MOST_HEADERS)) {
    const text = await part(bytes, LONGEST_HEADER, (given) => read.header(given, name), deadline);
    shown.push({ name: shortened(name, LONGEST_HEADER), ...text });
  }
  return {
    key: await part(key, LONGEST_TEXT, read.key, deadline),
    value: await part(value, LONGEST_TEXT, read.value, deadline),
    headers: shown,
    moreHeaders: Math.max(0, headers.length - MOST_HEADERS),
  };
}

/** @param deadline by the monotonic clock */
async function part(
  bytes: Uint8Array | null,
  longest: number,
  read: (bytes: Uint8Array) => SchemaAndValue,
  deadline: number,
): Promise<PartText> {
  if (bytes === null) return { text: null, error: null };
  try {
    const converted = convertWhenReady(() => read(bytes));
    const data =
      converted instanceof Promise ? await withDeadline(converted, deadline - monotonicNow(), late) : converted;
    return { text: shortened(jsonText(data), longest), error: null };
  } catch (error) {
    return unread(bytes, longest, messageOf(error));
  }
}

function unread(bytes: Uint8Array | null, longest: number, error: string): PartText {
  if (bytes === null) return { text: null, error: null };
  return { text: bytesText(bytes, longest), error: shortened(error, LONGEST_ERROR) };
}

const late = (): Error => new Error(`Not converted: the converter was not ready within ${LONGEST_WAIT_MS / 1000} s.`);

/** Does not split a pair of surrogates. */
function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(longest - 1)) ? longest - 1 : longest;
  return `${text.slice(0, end)}… (${(text.length - end).toLocaleString('en-US')} more characters)`;
}
