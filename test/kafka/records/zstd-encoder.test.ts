/** What the zstd encoder in JavaScript writes, the native package and the decoder read. */
import type * as NodeZstd from '@toondepauw/node-zstd';
import { bindingZstdCodec, portableZstdCodec } from '../../../src/kafka/records/compression/zstd';
import { nativePackage } from '../../../src/kafka/records/native-package';
import { seeded } from '../../helpers/seeded';
import { ZSTD_SAMPLES, ZSTD_SIZES } from './zstd-samples';

const binding = nativePackage<typeof NodeZstd>('@toondepauw/node-zstd')!;
const native = bindingZstdCodec(binding);
const portable = portableZstdCodec();
const compress = (plain: Buffer): Buffer => portable.compress(plain) as Buffer;

function expectRoundTrip(plain: Buffer): void {
  const compressed = compress(plain);
  expect(native.decompress(compressed, plain.length + 128 * 1024).equals(plain)).toBe(true);
  expect(portable.decompress(compressed, plain.length).equals(plain)).toBe(true);
}

test.each(Object.entries(ZSTD_SAMPLES))('%s, of all sizes', (_, sample) => {
  for (const size of ZSTD_SIZES) expectRoundTrip(sample.subarray(0, size));
});

test('pieces of all kinds, in any order', () => {
  const random = seeded(11);
  const samples = Object.values(ZSTD_SAMPLES);
  for (let i = 0; i < 80; i++) {
    const piece = (): Buffer => {
      const sample = random.one(samples);
      const from = random.below(sample.length);
      return sample.subarray(from, from + random.below(random.one([10, 300, 5000, 150_000])));
    };
    expectRoundTrip(Buffer.concat(Array.from({ length: 1 + random.below(6) }, piece)));
  }
});

test('more than the window', () => {
  expectRoundTrip(Buffer.concat(Array.from({ length: 2 }, () => Object.values(ZSTD_SAMPLES)).flat()));
});

test('repetitive data becomes smaller, and noise hardly larger', () => {
  const { json, zeros, noise } = ZSTD_SAMPLES;
  expect(compress(json).length).toBeLessThan(json.length / 2);
  expect(compress(zeros).length).toBeLessThan(200);
  expect(compress(noise).length).toBeLessThan(noise.length + 30);
});
