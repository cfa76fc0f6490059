/**
 * Cyclic redundancy checks of 32 bits. Those in JavaScript are slicing-by-8: the same results at a fraction of the
 * speed.
 */
import * as zlib from 'node:zlib';
import { nativePackage } from './native-package';

/** In reversed bit order. */
const CASTAGNOLI = 0x82f63b78;
const IEEE_802_3 = 0xedb88320;

/** Eight tables of 256 entries, one after the other: table k advances a byte by k further zero bytes. */
function buildTables(polynomial: number): Int32Array {
  const tables = new Int32Array(8 * 256);
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ polynomial : c >>> 1;
    tables[n] = c;
  }
  for (let at = 256; at < tables.length; at++) {
    const previous = tables[at - 256]!;
    tables[at] = (previous >>> 8) ^ tables[previous & 0xff]!;
  }
  return tables;
}

/** The tables are built on the first call of the function. */
function portable(polynomial: number): (bytes: Uint8Array) => number {
  let tables: Int32Array | null = null;
  return (bytes) => checksum((tables ??= buildTables(polynomial)), bytes);
}

function checksum(t: Int32Array, bytes: Uint8Array): number {
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

/** In JavaScript; exported for comparison with the native ones. */
export const portableCrc32c = portable(CASTAGNOLI);
export const portableCrc32 = portable(IEEE_802_3);

/** CRC-32C, the checksum of record batches: unsigned, native if @node-rs/crc32 can be loaded. */
export const crc32c: (bytes: Uint8Array) => number =
  nativePackage<{ crc32c(input: Uint8Array): number }>('@node-rs/crc32')?.crc32c ?? portableCrc32c;

const builtIn = (zlib as { crc32?: (text: string) => number }).crc32;

/** CRC-32 of text in UTF-8: unsigned, of node:zlib from Node 20.15 and 22.2 on. */
export const crc32: (text: string) => number = builtIn ?? ((text) => portableCrc32(Buffer.from(text)));
