/** An int64 as Connect data: a number where that is exact, a bigint outside ±2^53. Wraps to 64 bits, as Java does. */
export function safeInteger(value: bigint): number | bigint {
  const wrapped = BigInt.asIntN(64, value);
  const number = Number(wrapped);
  return Number.isSafeInteger(number) ? number : wrapped;
}
