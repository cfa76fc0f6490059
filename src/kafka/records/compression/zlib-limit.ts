/** Node's own decompressors, which stop at the limit by themselves. */
import { DecompressionLimitError } from './limit';

type Decompress = (compressed: Buffer, options: { maxOutputLength: number; chunkSize: number }) => Buffer;

/** Most batches fit into one chunk, of which zlib then gives a part as the result. */
const CHUNK_BYTES = 64 * 1024;

/** @throws DecompressionLimitError */
export function withinLimit(decompress: Decompress, compressed: Buffer, limit: number): Buffer {
  try {
    const whole = decompress(compressed, { maxOutputLength: limit, chunkSize: CHUNK_BYTES });
    // A small one would keep all of its chunk in memory, for as long as one of its records lives.
    return whole.length < whole.buffer.byteLength / 2 ? Buffer.from(whole) : whole;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    throw new DecompressionLimitError(`more than ${limit} bytes decompressed`);
  }
}
