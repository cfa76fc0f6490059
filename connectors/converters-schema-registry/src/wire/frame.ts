/** Where the data of a record starts, and the id of its schema. Source: the wire format that Confluent publishes. */
import { DataError, type RawHeader } from '@millrace/sdk';
import type { SchemaKey } from '../registry/schema-registry';

const NUMBER_FORMAT = 0;
const GUID_FORMAT = 1;
const GUID_BYTES = 16;
/** A zero and the id. */
export const FRAME_BYTES = 5;

export interface Frame {
  readonly key: SchemaKey;
  /** Where what follows the id starts. */
  readonly at: number;
  /** What follows the id in the header, if the id is in one: Protobuf's message indexes. */
  readonly indexes: Uint8Array | null;
}

/** @param header the one that newer clients put the id into, e.g. `__value_schema_id`. Throws DataError. */
export function readFrame(bytes: Uint8Array, headers: readonly RawHeader[], header: string): Frame {
  // The last one counts, as for all headers in Kafka.
  for (let i = headers.length - 1; i >= 0; i--) {
    const { key, value } = headers[i] as RawHeader;
    if (key === header && value !== null)
      return { key: guidOf(value, header), at: 0, indexes: value.subarray(1 + GUID_BYTES) };
  }
  if (bytes.length >= FRAME_BYTES && bytes[0] === NUMBER_FORMAT) {
    const id = new DataView(bytes.buffer, bytes.byteOffset).getInt32(1);
    if (id >= 0) return { key: id, at: FRAME_BYTES, indexes: null };
  }
  throw new DataError(
    `The record is not in the format of a schema registry: it does not begin with a zero and the id of a schema. ${seen(bytes)}`,
    { code: 'REGISTRY_FORMAT' },
  );
}

function guidOf(value: Uint8Array, header: string): string {
  if (value.length < 1 + GUID_BYTES || value[0] !== GUID_FORMAT)
    throw new DataError(`The header ${header} of the record holds no id of a schema.`, { code: 'REGISTRY_FORMAT' });
  const hex = Buffer.from(value.buffer, value.byteOffset + 1, GUID_BYTES).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function seen(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'It is empty.';
  const first = bytes[0] as number;
  if (first === 0x7b || first === 0x5b) return 'It looks like JSON: use org.apache.kafka.connect.json.JsonConverter.';
  return 'Check which converter its producer uses.';
}
