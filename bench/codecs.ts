/**
 * Record compression and checksums in JavaScript and in native packages, on change events of about 400 bytes in JSON.
 * `npm run bench -- codecs [BATCH_BYTES]` (Default: 1,000,000)
 */
import { crc32c as nativeCrc } from '@node-rs/crc32';
import * as lz4 from 'lz4-napi';
import { compressSync, uncompressSync } from 'snappy';
import { portableCrc32c } from '../packages/record-codecs/src/checksums';
import { codecById, type Codec } from '../packages/record-codecs/src/index';
import { lz4Codec } from '../packages/record-codecs/src/lz4';
import { snappyCodec } from '../packages/record-codecs/src/snappy';
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

/** Gzip and zstd compress on other threads: each call is awaited. */
async function megabytesPerSecond(work: () => unknown): Promise<number> {
  const times = Math.max(1, Math.round(TOTAL_BYTES / BATCH_BYTES));
  const run = async (): Promise<number> => {
    const began = performance.now();
    for (let i = 0; i < times; i++) await work();
    return (times * BATCH_BYTES) / 1000 / (performance.now() - began);
  };
  await run();
  return await run();
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
    ['gzip', codecById(1)],
    ['zstd', codecById(4)],
  ];
  for (const [name, codec] of codecs) {
    const compressed = await codec.compress(plain);
    figure(`${name}: compression`, `${whole(await megabytesPerSecond(() => codec.compress(plain)))} MB/s`);
    figure(
      `${name}: decompression`,
      `${whole(await megabytesPerSecond(() => codec.decompress(compressed, 2 ** 30)))} MB/s`,
    );
    figure(`${name}: size`, `${whole((compressed.length / plain.length) * 1000)} ‰`);
  }
  figure('CRC-32C, JavaScript', `${whole(await megabytesPerSecond(() => portableCrc32c(plain)))} MB/s`);
  figure('CRC-32C, native', `${whole(await megabytesPerSecond(() => nativeCrc(plain)))} MB/s`);
});
