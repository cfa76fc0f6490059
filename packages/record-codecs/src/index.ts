/**
 * The record batch codecs by their number in the batch attributes. Each is loaded on first use. Snappy and LZ4 run on
 * the calling thread; gzip and zstd compress on libuv's threads.
 */
import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import { UnavailableCodecError, withinLimit, type Codec } from './codec';
import { lz4Codec } from './lz4';
import { snappyCodec } from './snappy';
import { zstdCodec } from './zstd';

export { crc32, crc32c } from './checksums';
export { DecompressionLimitError, UnavailableCodecError, type Codec } from './codec';
export { nativeFailures } from './native-package';

/** Kafka's names; the position of each is its number in the lowest three bits of the batch attributes. */
export const COMPRESSION_TYPES = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
export type CompressionType = (typeof COMPRESSION_TYPES)[number];

const gzipAsync = promisify<Buffer, { level?: number }, Buffer>(gzip);
const gzipCodec = (): Codec => ({
  compress: (records, level) => gzipAsync(records, level === undefined ? {} : { level }),
  decompress: (compressed, limit) => withinLimit(gunzipSync, compressed, limit),
});

const LOADERS: readonly (() => Codec)[] = [gzipCodec, snappyCodec, lz4Codec, zstdCodec];
const loaded: Codec[] = [];

/** The number in the attributes' lowest three bits. */
export function compressionId(type: CompressionType): number {
  return COMPRESSION_TYPES.indexOf(type);
}

/**
 * @param id 1 to 4: `none` has no codec.
 * @throws UnavailableCodecError for another number, and for zstd where neither Node.js nor a package has it.
 */
export function codecById(id: number): Codec {
  const known = loaded[id];
  if (known) return known;
  const load = LOADERS[id - 1];
  if (!load) throw new UnavailableCodecError(`Unknown record batch compression ${id}.`);
  return (loaded[id] = load());
}
