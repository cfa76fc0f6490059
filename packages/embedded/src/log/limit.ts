/** @throws RangeError */
export function checkSize(bytes: number, limit: number): void {
  if (bytes > limit) throw new RangeError(`it exceeds ${limit} bytes when decompressed`);
}
