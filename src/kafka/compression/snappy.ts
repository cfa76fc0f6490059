import { createRequire } from 'node:module';
import type * as Snappy from 'snappy';
import type { Codec } from './codecs';

/** What Java's SnappyOutputStream begins with: magic, version 1, oldest compatible version 1. */
const XERIAL_HEADER = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00, 0, 0, 0, 1, 0, 0, 0, 1]);
const XERIAL_MAGIC = XERIAL_HEADER.subarray(0, 8);
/** Java's block size; readers allocate per block. */
const BLOCK_BYTES = 32 * 1024;

/** Snappy in Java's xerial framing (header, then blocks preceded by their int32 length); raw blocks are read as well. */
export function snappyCodec(): Codec {
  const { compressSync, uncompressSync } = createRequire(__filename)('snappy') as typeof Snappy;
  const uncompressBlock = (block: Buffer): Buffer => uncompressSync(block, { asBuffer: true }) as Buffer;

  return {
    compress(records) {
      const parts: Buffer[] = [XERIAL_HEADER];
      for (let at = 0; at < records.length; at += BLOCK_BYTES) {
        const block = compressSync(records.subarray(at, at + BLOCK_BYTES));
        const length = Buffer.allocUnsafe(4);
        length.writeInt32BE(block.length, 0);
        parts.push(length, block);
      }
      return Buffer.concat(parts);
    },
    decompress(compressed) {
      if (!startsWithMagic(compressed, 0)) return uncompressBlock(compressed);
      const parts: Buffer[] = [];
      let at = XERIAL_HEADER.length;
      while (at < compressed.length) {
        if (startsWithMagic(compressed, at)) {
          // Streams written one after the other each carry a header.
          at += XERIAL_HEADER.length;
          continue;
        }
        const length = compressed.readInt32BE(at);
        if (length < 0 || at + 4 + length > compressed.length) throw new RangeError('snappy block exceeds the batch');
        parts.push(uncompressBlock(compressed.subarray(at + 4, at + 4 + length)));
        at += 4 + length;
      }
      return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    },
  };
}

function startsWithMagic(bytes: Buffer, at: number): boolean {
  const end = at + XERIAL_MAGIC.length;
  return end <= bytes.length && XERIAL_MAGIC.compare(bytes, at, end) === 0;
}
