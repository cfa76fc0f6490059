/**
 * Where the data of a record starts, and the id of its schema. The id is a zero and four bytes, or a one and a UUID; it
 * is before the data, or in a header. Source: the wire format that Confluent publishes, and its clients from 8.0 on.
 */
import { DataError, type RawHeader } from '@millrace/sdk';
import type { SchemaKey } from '../registry/schema-registry';

const NUMBER_FORMAT = 0;
const GUID_FORMAT = 1;
/** A zero and the id. */
export const FRAME_BYTES = 5;
const GUID_FRAME_BYTES = 17;

/** Its fields are those of the last record, so that there is no object for each. */
export class FrameReader {
  /** Where what follows the id starts. */
  at = 0;
  /** What follows the id in the header, if the id is in one: Protobuf's message indexes. */
  indexes: Uint8Array | null = null;
  private guid = '';
  private readonly guidBytes = new Uint8Array(GUID_FRAME_BYTES);
  private readonly header: string;

  constructor(isKey: boolean) {
    this.header = isKey ? '__key_schema_id' : '__value_schema_id';
  }

  /** The id of the record's schema. Throws DataError. */
  read(bytes: Uint8Array, headers: readonly RawHeader[]): SchemaKey {
    // The last one counts, as for all headers in Kafka; null is as none.
    let inHeader: Uint8Array | null = null;
    for (let i = headers.length - 1; i >= 0; i--) {
      const { key, value } = headers[i] as RawHeader;
      if (key !== this.header) continue;
      inHeader = value;
      break;
    }
    if (inHeader === null) {
      const key = this.keyIn(bytes);
      this.indexes = null;
      if (key !== null) return key;
      throw new DataError(
        `The record is not in the format of a schema registry: it does not begin with a zero and the id of a schema. ${seen(bytes)}`,
        { code: 'REGISTRY_FORMAT' },
      );
    }
    const key = this.keyIn(inHeader);
    if (key === null)
      throw new DataError(`The header ${this.header} of the record holds no id of a schema.`, {
        code: 'REGISTRY_FORMAT',
      });
    this.indexes = inHeader.subarray(this.at);
    this.at = 0;
    return key;
  }

  /** Null: they do not start with an id. */
  private keyIn(bytes: Uint8Array): SchemaKey | null {
    if (bytes[0] === NUMBER_FORMAT && bytes.length >= FRAME_BYTES) {
      this.at = FRAME_BYTES;
      const id = ((bytes[1] as number) << 24) | (bytes[2]! << 16) | (bytes[3]! << 8) | bytes[4]!;
      return id >= 0 ? id : null;
    }
    if (bytes[0] !== GUID_FORMAT || bytes.length < GUID_FRAME_BYTES) return null;
    this.at = GUID_FRAME_BYTES;
    return this.guidIn(bytes);
  }

  private guidIn(bytes: Uint8Array): string {
    const { guidBytes } = this;
    let at = 1;
    while (at < GUID_FRAME_BYTES && bytes[at] === guidBytes[at]) at++;
    if (at === GUID_FRAME_BYTES && this.guid !== '') return this.guid;
    guidBytes.set(bytes.subarray(0, GUID_FRAME_BYTES));
    const hex = Buffer.from(guidBytes.buffer, 1).toString('hex');
    return (this.guid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
  }
}

function seen(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'It is empty.';
  const first = bytes[0] as number;
  if (first === 0x7b || first === 0x5b) return 'It looks like JSON: use org.apache.kafka.connect.json.JsonConverter.';
  return 'Check which converter its producer uses.';
}
