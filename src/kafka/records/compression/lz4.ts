import { createRequire } from 'node:module';
import type * as Lz4 from 'lz4-napi';
import type { Codec } from './codec';
import { checkLz4Size } from './lz4-size';

/** LZ4 frames with independent blocks, the only kind Java's reader accepts. There are no compression levels. */
export function lz4Codec(): Codec {
  const { compressFrameSync, decompressFrameSync } = createRequire(__filename)('lz4-napi') as typeof Lz4;
  return {
    compress: (records) => compressFrameSync(records),
    decompress(compressed, limit) {
      // The library has no size limit.
      checkLz4Size(compressed, limit);
      return decompressFrameSync(compressed);
    },
  };
}
