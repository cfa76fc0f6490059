/** What all codecs have in common. */

export interface Codec {
  /** @param level codec specific; undefined: the codec's default. Snappy and LZ4 have none. */
  compress(records: Buffer, level?: number): Buffer | Promise<Buffer>;
  /**
   * Allocates at most a small multiple of `limit`, in bytes, whatever size the compressed data declares.
   * @throws DecompressionLimitError for more than `limit` bytes. Corrupt data throws the codec's own error.
   */
  decompress(compressed: Buffer, limit: number): Buffer;
}

/** The decompressed batch would exceed the limit of its reader. */
export class DecompressionLimitError extends Error {}

/** The batch has a codec that is unknown, or that neither Node.js nor an installed package provides. */
export class UnavailableCodecError extends Error {}

/** @throws DecompressionLimitError */
export function checkSize(bytes: number, limit: number): void {
  if (bytes > limit) throw new DecompressionLimitError(`more than ${limit} bytes decompressed`);
}

type ZlibDecompress = (compressed: Buffer, options: { maxOutputLength: number; chunkSize: number }) => Buffer;

/** Most batches fit into one chunk, and zlib returns a view of it. */
const CHUNK_BYTES = 64 * 1024;

/** For the decompressors of node:zlib. @throws DecompressionLimitError */
export function withinLimit(decompress: ZlibDecompress, compressed: Buffer, limit: number): Buffer {
  try {
    const whole = decompress(compressed, { maxOutputLength: limit, chunkSize: CHUNK_BYTES });
    if (whole.length >= whole.buffer.byteLength / 2) return whole;
    // Any of its records would keep the whole chunk in memory, or the pool of Buffer.from, which is as large.
    const copy = Buffer.allocUnsafeSlow(whole.length);
    copy.set(whole);
    return copy;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    throw new DecompressionLimitError(`more than ${limit} bytes decompressed`);
  }
}

/** Calls into the runtime cost more than the copy of a few bytes. */
const FEW_BYTES = 32;

/** Returns the end of the copy in `out`. */
export function copyLiterals(block: Buffer, at: number, count: number, out: Buffer, end: number): number {
  if (count > FEW_BYTES) block.copy(out, end, at, at + count);
  else for (let i = 0; i < count; i++) out[end + i] = block[at + i]!;
  return end + count;
}

/** The copy may overlap its source. Returns its end. */
export function copyMatch(out: Buffer, from: number, end: number, count: number): number {
  if (count > FEW_BYTES && end - from >= count) out.copyWithin(end, from, from + count);
  else if (count > FEW_BYTES && end - from === 1) out.fill(out[from]!, end, end + count);
  else for (let i = 0; i < count; i++) out[end + i] = out[from + i]!;
  return end + count;
}

/** Four bytes of `block` as a signed number. */
export function readWord(block: Buffer, at: number): number {
  return block[at]! | (block[at + 1]! << 8) | (block[at + 2]! << 16) | (block[at + 3]! << 24);
}
