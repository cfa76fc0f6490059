/** CRC-32C of record batches: native if @node-rs/crc32 can be loaded, otherwise from a table, which is much slower. */
import { createRequire } from 'node:module';

const POLYNOMIAL = 0x82f63b78;

function portable(): (bytes: Uint8Array) => number {
  const table = new Int32Array(256);
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ POLYNOMIAL : c >>> 1;
    table[n] = c;
  }
  return (bytes) => {
    let crc = -1;
    for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ table[(crc ^ bytes[i]!) & 0xff]!;
    return ~crc >>> 0;
  };
}

function load(): (bytes: Uint8Array) => number {
  try {
    return (createRequire(__filename)('@node-rs/crc32') as { crc32c(input: Uint8Array): number }).crc32c;
  } catch {
    return portable();
  }
}

/** Returns an unsigned 32-bit number. */
export const crc32c: (bytes: Uint8Array) => number = load();
