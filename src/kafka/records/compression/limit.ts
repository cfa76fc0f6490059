/** What a batch would take once decompressed is more than its reader allows. */
export class DecompressionLimitError extends Error {}

/** @throws DecompressionLimitError */
export function checkSize(bytes: number, limit: number): void {
  if (bytes > limit) throw new DecompressionLimitError(`more than ${limit} bytes decompressed`);
}
