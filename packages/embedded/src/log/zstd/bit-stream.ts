/** Bits of a zstd block, which is followed by at least four bytes of padding. A stream is read from its end. */

/** At most 25 bits from bit `at` on. */
export function bitsAt(bytes: Uint8Array, at: number, count: number): number {
  const i = at >> 3;
  const word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
  return (word >>> (at & 7)) & ((1 << count) - 1);
}

/**
 * The position after the last bit of the stream in `bytes[from..to)`; a set bit marks its end.
 * @throws RangeError
 */
export function endOfBits(bytes: Uint8Array, from: number, to: number): number {
  if (to <= from || bytes[to - 1] === 0) throw new RangeError('a zstd bit stream has no end');
  return to * 8 - 1 - Math.clz32(bytes[to - 1]! << 24);
}

/** The bits before position `at`, with zeros for those before `first`. */
export function lastBits(bytes: Uint8Array, first: number, at: number, count: number): number {
  const available = at - first;
  if (available >= count) return bitsAt(bytes, at - count, count);
  return available <= 0 ? 0 : bitsAt(bytes, first, available) << (count - available);
}
