/** The decompressed batch would exceed the limit of its reader. */
export class DecompressionLimitError extends Error {}

/** @throws DecompressionLimitError */
export function checkSize(bytes: number, limit: number): void {
  if (bytes > limit) throw new DecompressionLimitError(`more than ${limit} bytes decompressed`);
}
