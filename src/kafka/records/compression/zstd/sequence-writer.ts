/** Writes the sequences of a zstd block with the predefined tables. Format: RFC 8878, section 3.1.1.3.2. */
import { BitWriter } from './bit-writer';
import { LITERAL_LENGTHS, MATCH_LENGTHS, PREDEFINED, type Lengths } from './codes';
import type { FseTable } from './fse-table';

const SHORTEST_MATCH = 3;
const LONG_COUNT_BASE = 0x7f00;
/** Of a sequence: count of literals, match length, and offset value (1 to 3: a recent offset). */
export const FIELDS = 3;

/** By code and state: the state with this symbol from which the decoder reaches that state. */
function previousStates({ accuracy, symbols, bits, bases }: FseTable): Uint8Array {
  const codes = Math.max(...symbols) + 1;
  const states = new Uint8Array(codes << accuracy);
  for (let state = 0; state < symbols.length; state++) {
    const from = (symbols[state]! << accuracy) + bases[state]!;
    states.fill(state, from, from + (1 << bits[state]!));
  }
  return states;
}
const PREVIOUS = {
  literalLengths: previousStates(PREDEFINED.literalLengths),
  offsets: previousStates(PREDEFINED.offsets),
  matchLengths: previousStates(PREDEFINED.matchLengths),
};

const SMALL = 256;
function smallCodes({ bases }: Lengths): Uint8Array {
  const codes = new Uint8Array(SMALL);
  for (let value = bases[0]!, code = 0; value < SMALL; value++) {
    while (bases[code + 1]! <= value) code++;
    codes[value] = code;
  }
  return codes;
}
const LITERAL_CODES = smallCodes(LITERAL_LENGTHS);
const MATCH_CODES = smallCodes(MATCH_LENGTHS);
/** Large lengths have one code for each power of two. */
const LITERAL_POWER_BASE = 19;
const MATCH_POWER_BASE = 36;
const log2 = (value: number): number => 31 - Math.clz32(value);

/**
 * Writes the section for `sequences` at byte `start` of `out`.
 * @param stop no byte is written from here on
 * @returns the end of the section, or -1 if there is not enough room
 */
export function writeSequences(
  sequences: Uint32Array,
  count: number,
  out: Buffer,
  start: number,
  stop: number,
): number {
  if (start + 8 > stop) return -1;
  let end = start;
  if (count < 128) out[end++] = count;
  else if (count < LONG_COUNT_BASE) {
    out[end++] = 128 + (count >> 8);
    out[end++] = count & 255;
  } else {
    out[end++] = 255;
    end = out.writeUInt16LE(count - LONG_COUNT_BASE, end);
  }
  if (count === 0) return end;
  out[end++] = 0;

  const bits = new BitWriter(out, end);
  const tables = PREDEFINED;
  let [literalState, offsetState, matchState] = [0, 0, 0];
  // The decoder reads from the end, so that the last sequence is written first.
  for (let i = count - 1; i >= 0; i--) {
    if (bits.end + 24 > stop) return -1;
    const literals = sequences[i * FIELDS]!;
    const match = sequences[i * FIELDS + 1]!;
    const offset = sequences[i * FIELDS + 2]!;
    const literalCode = literals < SMALL ? LITERAL_CODES[literals]! : LITERAL_POWER_BASE + log2(literals);
    const matchCode = match < SMALL ? MATCH_CODES[match]! : MATCH_POWER_BASE + log2(match - SHORTEST_MATCH);
    const offsetCode = log2(offset);
    const nextOffset = offsetState;
    const nextMatch = matchState;
    const nextLiteral = literalState;
    offsetState = PREVIOUS.offsets[(offsetCode << tables.offsets.accuracy) + nextOffset]!;
    matchState = PREVIOUS.matchLengths[(matchCode << tables.matchLengths.accuracy) + nextMatch]!;
    literalState = PREVIOUS.literalLengths[(literalCode << tables.literalLengths.accuracy) + nextLiteral]!;
    if (i < count - 1) {
      bits.put(nextOffset - tables.offsets.bases[offsetState]!, tables.offsets.bits[offsetState]!);
      bits.put(nextMatch - tables.matchLengths.bases[matchState]!, tables.matchLengths.bits[matchState]!);
      bits.put(nextLiteral - tables.literalLengths.bases[literalState]!, tables.literalLengths.bits[literalState]!);
    }
    bits.put(literals - LITERAL_LENGTHS.bases[literalCode]!, LITERAL_LENGTHS.bits[literalCode]!);
    bits.put(match - MATCH_LENGTHS.bases[matchCode]!, MATCH_LENGTHS.bits[matchCode]!);
    bits.put(offset - (1 << offsetCode), offsetCode);
  }
  bits.put(matchState, tables.matchLengths.accuracy);
  bits.put(offsetState, tables.offsets.accuracy);
  bits.put(literalState, tables.literalLengths.accuracy);
  return bits.finish();
}
