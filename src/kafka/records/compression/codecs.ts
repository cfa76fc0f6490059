/**
 * The record batch codecs by their number in the batch attributes. Each is loaded on first use. Those in JavaScript,
 * snappy and lz4 run on the calling thread; gzip and native zstd compress on libuv's threads.
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

/** @throws KafkaError UNSUPPORTED_COMPRESSION_TYPE for an unknown number. */
export function codecById(id: number): Codec {
  const known = loaded[id];
  if (known) return known;
  const load = LOADERS[id - 1];
  if (!load) throw new KafkaError('UNSUPPORTED_COMPRESSION_TYPE', `Unknown record batch compression ${id}.`);
  return (loaded[id] = load());
}
