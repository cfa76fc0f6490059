/**
 * The 32-bit murmur2 that Java clients hash record keys with. Storage topics are compacted, so a key in a partition
 * other than Java's would have two live values. Source: connect-runtime §1.1.
 */
const SEED = 0x9747b28c;
const M = 0x5bd1e995;

/** Signed 32-bit hash, as Java prints it. */
export function murmur2(bytes: Uint8Array): number {
  const length = bytes.length;
  let h = SEED ^ length;
  let i = 0;
  for (const blocks = length - (length % 4); i < blocks; i += 4) {
    let k = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    k = Math.imul(k, M);
    k ^= k >>> 24;
    h = Math.imul(h, M) ^ Math.imul(k, M);
  }
  const tail = length - i;
  if (tail >= 3) h ^= bytes[i + 2]! << 16;
  if (tail >= 2) h ^= bytes[i + 1]! << 8;
  if (tail >= 1) h = Math.imul(h ^ bytes[i]!, M);
  h = Math.imul(h ^ (h >>> 13), M);
  return h ^ (h >>> 15);
}
