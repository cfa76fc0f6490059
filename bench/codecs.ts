/**
 * Record compression and checksums in JavaScript and in native packages, on change events of about 400 bytes in JSON.
 * `npm run bench -- codecs [BATCH_BYTES]` (Default: 1,000,000)
 */
import { crc32c as nativeCrc } from '@node-rs/crc32';
import { Decoder, Encoder } from '@toondepauw/node-zstd';
import * as lz4 from 'lz4-napi';
import { compressSync, uncompressSync } from 'snappy';
import type { Codec } from '../src/kafka/records/compression/codec';
import { lz4Codec } from '../src/kafka/records/compression/lz4';
import { snappyCodec } from '../src/kafka/records/compression/snappy';
import { portableZstdCodec } from '../src/kafka/records/compression/zstd';
import { crc32cPortable } from '../src/kafka/records/crc32c';
import { benchmark, figure, heading, whole } from './lib/report';

const BATCH_BYTES = Number(process.argv[2] ?? 1_000_000);
const TOTAL_BYTES = 100_000_000;

function changeEvents(): Buffer {
  const rows: string[] = [];
  for (let id = 0, bytes = 0; bytes < BATCH_BYTES; id++) {
    const after = { id, name: `customer ${(id * 7919) % 1000}`, amount: ((id * 37) % 10_000) / 100, at: 1.7e12 + id };
    const source = { connector: 'postgresql', name: 'shop', db: 'shop', table: 'orders', lsn: 123_456_789 + id * 56 };
    rows.push(JSON.stringify({ before: null, after, source, op: 'c', ts_ms: 1.7e12 + id }));
    bytes += (rows.at(-1) as string).length;
  }
  return Buffer.from(rows.join('')).subarray(0, BATCH_BYTES);
}

function megabytesPerSecond(work: () => unknown): number {
  const times = Math.max(1, Math.round(TOTAL_BYTES / BATCH_BYTES));
  const run = (): number => {
    const began = performance.now();
    for (let i = 0; i < times; i++) work();
    return (times * BATCH_BYTES) / 1000 / (performance.now() - began);
  };
  run();
  return run();
}

/** On the calling thread, unlike the worker's codec, at Kafka's default level. */
function nativeZstd(): Codec {
  const encoder = new Encoder(3);
  const decoder = new Decoder();
  return { compress: (bytes) => encoder.encodeSync(bytes), decompress: (bytes) => decoder.decodeSync(bytes) };
}

benchmark(async () => {
  const plain = changeEvents();
  heading(`Codecs, batches of ${whole(BATCH_BYTES)} bytes`);
  const codecs: [string, Codec][] = [
    ['snappy, JavaScript', snappyCodec()],
    [
      'snappy, native',
      snappyCodec({
        compress: (bytes) => compressSync(bytes),
        decompress: (block) => uncompressSync(block, { asBuffer: true }) as Buffer,
      }),
    ],
    ['lz4, JavaScript', lz4Codec(null)],
    ['lz4, native', lz4Codec(lz4)],
    ['zstd, JavaScript', portableZstdCodec()],
    ['zstd, native', nativeZstd()],
  ];
  for (const [name, codec] of codecs) {
    const compressed = await codec.compress(plain);
    figure(`${name}: compression`, `${whole(megabytesPerSecond(() => codec.compress(plain)))} MB/s`);
    figure(`${name}: decompression`, `${whole(megabytesPerSecond(() => codec.decompress(compressed, 2 ** 30)))} MB/s`);
    figure(`${name}: size`, `${whole((compressed.length / plain.length) * 1000)} ‰`);
  }
  const byNative = await nativeZstd().compress(plain);
  const { decompress } = portableZstdCodec();
  const speed = megabytesPerSecond(() => decompress(byNative, 2 ** 30));
  figure('zstd, JavaScript: decompression of what the native package writes', `${whole(speed)} MB/s`);
  figure('CRC-32C, JavaScript', `${whole(megabytesPerSecond(() => crc32cPortable(plain)))} MB/s`);
  figure('CRC-32C, native', `${whole(megabytesPerSecond(() => nativeCrc(plain)))} MB/s`);
});
