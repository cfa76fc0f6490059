/** Field positions of RecordBatch v2 (magic 2), shared by the encoder and the decoder. All integers are big-endian. */
export const BASE_OFFSET_AT = 0; // int64
export const BATCH_LENGTH_AT = 8; // int32, bytes after this field
export const LEADER_EPOCH_AT = 12; // int32
export const MAGIC_AT = 16; // int8
export const CRC_AT = 17; // uint32 over everything from the attributes on
export const ATTRIBUTES_AT = 21; // int16
export const LAST_OFFSET_DELTA_AT = 23; // int32
export const BASE_TIMESTAMP_AT = 27; // int64
export const MAX_TIMESTAMP_AT = 35; // int64
export const PRODUCER_ID_AT = 43; // int64
export const PRODUCER_EPOCH_AT = 51; // int16
export const BASE_SEQUENCE_AT = 53; // int32
export const RECORD_COUNT_AT = 57; // int32
export const BATCH_HEADER_BYTES = 61;
/** Bytes before those that `batch length` counts. */
export const LOG_OVERHEAD = 12;

export const COMPRESSION_MASK = 0x07;
export const LOG_APPEND_TIME_FLAG = 0x08;
export const TRANSACTIONAL_FLAG = 0x10;
export const CONTROL_FLAG = 0x20;

/** Signed 64-bit integer as a number: offsets, timestamps and producer ids stay below 2^53. */
export function readInt64(buffer: Buffer, at: number): number {
  return buffer.readInt32BE(at) * 0x100000000 + buffer.readUInt32BE(at + 4);
}

export function writeInt64(buffer: Buffer, value: number, at: number): void {
  const high = Math.floor(value / 0x100000000);
  buffer.writeInt32BE(high, at);
  buffer.writeUInt32BE(value - high * 0x100000000, at + 4);
}
