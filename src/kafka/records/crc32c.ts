/**
 * CRC-32C (Castagnoli), the checksum of RecordBatch v2. The native implementation is used when it can be loaded; the
 * fallback is slicing-by-8, about 20 times slower but with the same results. The embedded broker does not share this
 * code on purpose: it is a separate package, and it checks the batches of this client.
 */
import { nativePackage } from './native-package';

const POLYNOMIAL = 0x82f63b78;

/** Eight tables of 256 entries, one after the other: table k advances a byte by k further zero bytes. */
function buildTables(): Int32Array {
  const tables = new Int32Array(8 * 256);
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ POLYNOMIAL : c >>> 1;
    tables[n] = c;
  }
  for (let k = 1; k < 8; k++) {
    for (let n = 0; n < 256; n++) {
      const previous = tables[(k - 1) * 256 + n]!;
      tables[k * 256 + n] = (previous >>> 8) ^ tables[previous & 0xff]!;
    }
  }
  return tables;
}

let tables: Int32Array | null = null;

/** The portable implementation; exported so that both can be tested against each other. */
export function crc32cPortable(bytes: Uint8Array): number {
  const t = (tables ??= buildTables());
  const end = bytes.length;
  const blocks = end - (end % 8);
  let crc = -1;
  let i = 0;
  for (; i < blocks; i += 8) {
    const low = crc ^ (bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24));
    crc =
      t[1792 + (low & 0xff)]! ^
      t[1536 + ((low >>> 8) & 0xff)]! ^
      t[1280 + ((low >>> 16) & 0xff)]! ^
      t[1024 + (low >>> 24)]! ^
      t[768 + bytes[i + 4]!]! ^
      t[512 + bytes[i + 5]!]! ^
      t[256 + bytes[i + 6]!]! ^
      t[bytes[i + 7]!]!;
  }
  for (; i < end; i++) crc = (crc >>> 8) ^ t[(crc ^ bytes[i]!) & 0xff]!;
  return ~crc >>> 0;
}

/** Null when the native implementation is not available on this platform. */
export const crc32cNative: ((bytes: Uint8Array) => number) | null =
  nativePackage<{ crc32c(input: Uint8Array): number }>('@node-rs/crc32')?.crc32c ?? null;

/** Unsigned 32-bit CRC-32C of the bytes. */
export const crc32c: (bytes: Uint8Array) => number = crc32cNative ?? crc32cPortable;
