/** Writes the literals of a zstd block. Format: RFC 8878, section 3.1.1.3.1. */

const RAW = 0;
/** Sizes of raw literals in one, two and three bytes. */
const RAW_FORMATS = [
  { below: 1 << 5, code: 0, shift: 3, bytes: 1 },
  { below: 1 << 12, code: 1, shift: 4, bytes: 2 },
  { below: 1 << 20, code: 3, shift: 4, bytes: 3 },
] as const;

/**
 * Writes the section for `literals` at byte `start` of `out`.
 * @param stop no byte is written from here on
 * @returns the end of the section, or -1 if there is not enough room
 */
export function writeLiterals(literals: Buffer, out: Buffer, start: number, stop: number): number {
  const { code, shift, bytes } = RAW_FORMATS.find(({ below }) => literals.length < below)!;
  if (start + bytes + literals.length > stop) return -1;
  out.writeUIntLE((literals.length << shift) | (code << 2) | RAW, start, bytes);
  literals.copy(out, start + bytes);
  return start + bytes + literals.length;
}
