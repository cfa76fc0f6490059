import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type * as NodeZstd from '@toondepauw/node-zstd';
import { nativePackage } from '../native-package';
import type { Codec } from './codec';
import { checkSize } from './limit';
import { withinLimit } from './zlib-limit';
import { checkZstdSize } from './zstd-size';
import { ZstdDecoder } from './zstd/decoder';
import { ZstdEncoder } from './zstd/encoder';

/** Kafka's default level. */
const DEFAULT_LEVEL = 3;

interface ZlibWithZstd {
  zstdCompress(
    input: Buffer,
    options: { params: Record<number, number> },
    done: (e: Error | null, r: Buffer) => void,
  ): void;
  zstdDecompressSync(input: Buffer, options: { maxOutputLength: number }): Buffer;
  constants: { ZSTD_c_compressionLevel: number };
}

/** The zstd of node:zlib, from Node 22.15 on; otherwise a prebuilt binding, if installed; otherwise JavaScript. */
export function zstdCodec(): Codec {
  if ('zstdCompress' in zlib) return fromZlib(zlib as unknown as ZlibWithZstd);
  const binding = nativePackage<typeof NodeZstd>('@toondepauw/node-zstd');
  return binding === null ? portableZstdCodec() : bindingZstdCodec(binding);
}

function fromZlib(z: ZlibWithZstd): Codec {
  const compress = promisify(z.zstdCompress);
  return {
    compress: (records, level = DEFAULT_LEVEL) =>
      compress(records, { params: { [z.constants.ZSTD_c_compressionLevel]: level } }),
    decompress: (compressed, limit) => withinLimit(z.zstdDecompressSync, compressed, limit),
  };
}

export function bindingZstdCodec({ Encoder, Decoder }: typeof NodeZstd): Codec {
  const decoder = new Decoder();
  const encoders = new Map<number, InstanceType<typeof Encoder>>();
  return {
    compress(records, level = DEFAULT_LEVEL) {
      let encoder = encoders.get(level);
      if (!encoder) encoders.set(level, (encoder = new Encoder(level)));
      return encoder.encode(records);
    },
    decompress(compressed, limit) {
      // The binding has no size limit.
      checkZstdSize(compressed, limit);
      const records = decoder.decodeSync(compressed);
      checkSize(records.length, limit);
      return records;
    },
  };
}

/** It ignores the level. */
export function portableZstdCodec(): Codec {
  const encoder = new ZstdEncoder();
  const decoder = new ZstdDecoder();
  return {
    compress: (records) => encoder.encode(records),
    decompress: (compressed, limit) => decoder.decode(compressed, limit),
  };
}
