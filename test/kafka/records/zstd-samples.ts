/** Data of different kinds for tests of the zstd codec, each of 400,000 bytes. */
import { seeded } from '../../helpers/seeded';

const BYTES = 400_000;

function bytes(next: () => number): Buffer {
  const all = Buffer.alloc(BYTES);
  for (let i = 0; i < BYTES; i++) all[i] = next();
  return all;
}

function rows(): Buffer {
  const all: string[] = [];
  for (let id = 0, length = 0; length < BYTES; id++) {
    all.push(JSON.stringify({ id, name: `customer ${(id * 7919) % 1000}`, at: 1.7e12 + id, share: Math.sin(id) }));
    length += all.at(-1)!.length;
  }
  return Buffer.from(all.join('')).subarray(0, BYTES);
}

function sentences(): Buffer {
  const random = seeded(5);
  const words = 'der die das Zug fährt über Köln nach Ulm and then back again to where it started from'.split(' ');
  const all: string[] = [];
  for (let length = 0; length < BYTES;) length += all.push(random.one(words), random.chance(0.1) ? '.\n' : ' ');
  return Buffer.from(all.join('')).subarray(0, BYTES);
}

const random = seeded(3);
const json = rows();
const noise = bytes(() => random.below(256));

export const ZSTD_SAMPLES = {
  json,
  text: sentences(),
  noise,
  skewed: bytes(() => Math.floor(random.next() ** 4 * 250)),
  'three letters': bytes(() => 97 + random.below(3)),
  zeros: Buffer.alloc(BYTES),
  repeated: Buffer.alloc(BYTES, 'abcabcdx'),
  mixed: Buffer.concat([json.subarray(0, 90_000), noise.subarray(0, 60_000), json.subarray(50_000, 300_000)]),
};

/** Around the limits of size fields and of blocks, and several blocks. */
export const ZSTD_SIZES = [
  ...[0, 1, 2, 5, 31, 32, 63, 64, 127, 128, 255, 256, 1000, 1023, 1024, 4095, 4096, 16_383, 16_384, 65_791, 65_792],
  ...[131_071, 131_072, 131_073, 262_144, 400_000],
];
