/** Node's decompressors, which support a limit. */
import { DecompressionLimitError } from './limit';

type Decompress = (compressed: Buffer, options: { maxOutputLength: number; chunkSize: number }) => Buffer;

/** Most batches fit into one chunk, and zlib returns a view of it. */
const CHUNK_BYTES = 64 * 1024;

/** @throws DecompressionLimitError */
export function withinLimit(decompress: Decompress, compressed: Buffer, limit: number): Buffer {
  try {
    const whole = decompress(compressed, { maxOutputLength: limit, chunkSize: CHUNK_BYTES });
    // A small result is copied: otherwise any of its records would keep the whole chunk in memory.
    return whole.length < whole.buffer.byteLength / 2 ? Buffer.from(whole) : whole;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    throw new DecompressionLimitError(`more than ${limit} bytes decompressed`);
  }
}
