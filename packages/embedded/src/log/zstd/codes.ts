/** Codes of literal lengths, match lengths and offsets in zstd. Tables: RFC 8878, section 3.1.1.3.2 and appendix A. */
import { fseTable } from './fse-table';

/** The value that a code stands for: its base plus as many bits of the stream. */
export interface Lengths {
  bases: Uint32Array;
  bits: Uint8Array;
}

function lengths(first: number, bits: readonly number[]): Lengths {
  const bases = new Uint32Array(bits.length);
  for (let code = 0, base = first; code < bits.length; code++) {
    bases[code] = base;
    base += 2 ** bits[code]!;
  }
  return { bases, bits: Uint8Array.from(bits) };
}

const zeros = (count: number): number[] => Array<number>(count).fill(0);

export const LITERAL_LENGTHS = lengths(0, [
  ...zeros(16),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
]);
export const MATCH_LENGTHS = lengths(3, [
  ...zeros(32),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
]);
export const LAST_OFFSET_CODE = 31;

export const LITERAL_LENGTH_COUNTS = [
  ...[4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1],
  ...[-1, -1, -1, -1],
];
export const MATCH_LENGTH_COUNTS = [
  ...[1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  ...[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1],
];
export const OFFSET_COUNTS = [
  ...[1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
];
export const PREDEFINED = {
  literalLengths: fseTable(LITERAL_LENGTH_COUNTS, 6),
  offsets: fseTable(OFFSET_COUNTS, 5),
  matchLengths: fseTable(MATCH_LENGTH_COUNTS, 6),
};
