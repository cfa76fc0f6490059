import type * as Lz4 from 'lz4-napi';
import type { Codec } from './codec';
import { compressLz4Frame, decompressLz4Frame } from './lz4-portable';
import { checkLz4Size } from './lz4-size';
import { nativePackage } from '../native-package';

/** LZ4 frames with independent blocks, the only kind Java's reader accepts. There are no compression levels. */
export function lz4Codec(native = nativePackage<typeof Lz4>('lz4-napi')): Codec {
  if (native === null) return { compress: compressLz4Frame, decompress: decompressLz4Frame };
  const { compressFrameSync, decompressFrameSync } = native;
  return {
    compress: (records) => compressFrameSync(records),
    decompress(compressed, limit) {
      // The library has no size limit.
      checkLz4Size(compressed, limit);
      return decompressFrameSync(compressed);
    },
  };
}
