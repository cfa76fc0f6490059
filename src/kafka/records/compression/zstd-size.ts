import { checkSize } from './limit';
import { zstdSize } from './zstd/size';

/**
 * For decoders without a limit. All compressed blocks but the last are full unless the producer flushes.
 * @throws DecompressionLimitError when `frames` may contain more than `limit` bytes.
 * @throws RangeError for invalid frames.
 */
export function checkZstdSize(frames: Buffer, limit: number): void {
  checkSize(zstdSize(frames).likely, limit);
}
