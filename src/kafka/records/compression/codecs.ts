/**
 * The record batch codecs by their number in the batch attributes. Each is loaded on first use. The fast ones run on
 * the calling thread; gzip and zstd compress on libuv's threads.
 */
import { KafkaError } from '../../errors';
import type { Codec } from './codec';
import { gzipCodec } from './gzip';
import { lz4Codec } from './lz4';
import { snappyCodec } from './snappy';
import { zstdCodec } from './zstd';

export const COMPRESSION_TYPES = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
export type CompressionType = (typeof COMPRESSION_TYPES)[number];
const LOADERS: readonly (() => Codec)[] = [gzipCodec, snappyCodec, lz4Codec, zstdCodec];
const loaded: Codec[] = [];

/** The number in the attributes' lowest three bits. */
export function compressionId(type: CompressionType): number {
  return COMPRESSION_TYPES.indexOf(type);
}

/**
 * @throws KafkaError UNSUPPORTED_COMPRESSION_TYPE for an unknown number or when the codec's library cannot be loaded.
 */
export function codecById(id: number): Codec {
  const known = loaded[id];
  if (known) return known;
  const load = LOADERS[id - 1];
  if (!load) throw new KafkaError('UNSUPPORTED_COMPRESSION_TYPE', `Unknown record batch compression ${id}.`);
  try {
    return (loaded[id] = load());
  } catch (cause) {
    const fix =
      COMPRESSION_TYPES[id] === 'zstd'
        ? 'use Node.js 22.15 or later, which includes zstd, or run `npm install @toondepauw/node-zstd`'
        : 'use another compression.type';
    throw new KafkaError(
      'UNSUPPORTED_COMPRESSION_TYPE',
      `The ${COMPRESSION_TYPES[id]} codec cannot be loaded on this machine (${process.platform} ${process.arch}, Node.js ${process.versions.node}); ${fix}.`,
      { cause },
    );
  }
}
