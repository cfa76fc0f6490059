/** Finite state entropy tables of zstd (RFC 8878, section 4.1). */
import { bitsAt } from './bit-stream';

/** By state: the symbol, and the next state as a base to which `bits` bits of the stream are added. */
export interface FseTable {
  accuracy: number;
  symbols: Uint8Array;
  bits: Uint8Array;
  bases: Uint16Array;
}

const LOWEST_ACCURACY = 5;
const LESS_THAN_ONE = -1;

/** A table of one state, which reads no bits. */
export function rleTable(symbol: number): FseTable {
  return { accuracy: 0, symbols: Uint8Array.of(symbol), bits: new Uint8Array(1), bases: new Uint16Array(1) };
}

/** @param counts of each symbol among the 2^accuracy states; -1: less than one. */
export function fseTable(counts: ArrayLike<number>, accuracy: number): FseTable {
  const size = 1 << accuracy;
  const symbols = new Uint8Array(size);
  const bits = new Uint8Array(size);
  const bases = new Uint16Array(size);
  const next = new Uint16Array(counts.length);
  let high = size;
  for (let symbol = 0; symbol < counts.length; symbol++) {
    next[symbol] = Math.abs(counts[symbol]!);
    if (counts[symbol] === LESS_THAN_ONE) symbols[--high] = symbol;
  }
  const step = (size >> 1) + (size >> 3) + 3;
  for (let symbol = 0, at = 0; symbol < counts.length; symbol++)
    for (let i = 0; i < counts[symbol]!; i++) {
      symbols[at] = symbol;
      do at = (at + step) & (size - 1);
      while (at >= high);
    }
  for (let state = 0; state < size; state++) {
    const count = next[symbols[state]!]!++;
    bits[state] = accuracy - (31 - Math.clz32(count));
    bases[state] = (count << bits[state]!) - size;
  }
  return { accuracy, symbols, bits, bases };
}

/**
 * Reads the description of a table at byte `from`.
 * @param to end of the block
 * @returns the table and the byte after its description
 * @throws RangeError
 */
export function readFseTable(
  bytes: Uint8Array,
  from: number,
  to: number,
  lastSymbol: number,
  highestAccuracy: number,
): { table: FseTable; end: number } {
  let at = from * 8 + 4;
  const accuracy = LOWEST_ACCURACY + (from < to ? bytes[from]! & 15 : 0);
  if (accuracy > highestAccuracy) throw new RangeError('a zstd table is too large');
  const counts: number[] = [];
  for (let rest = 1 << accuracy; rest > 0;) {
    if (counts.length > lastSymbol || at >= to * 8) throw new RangeError('a zstd table exceeds its block or symbols');
    // Of the values that `width` bits can hold, the low ones that are not needed take one bit less.
    const width = 32 - Math.clz32(rest + 1);
    const low = (1 << (width - 1)) - 1;
    const short = (1 << width) - 2 - rest;
    let value = bitsAt(bytes, at, width);
    if ((value & low) < short) {
      value &= low;
      at += width - 1;
    } else {
      if (value > low) value -= short;
      at += width;
    }
    counts.push(value - 1);
    rest -= Math.abs(value - 1);
    if (value !== 1) continue;
    for (let zeros = 3; zeros === 3;) {
      zeros = bitsAt(bytes, at, 2);
      at += 2;
      for (let i = 0; i < zeros; i++) counts.push(0);
      if (counts.length > lastSymbol + 1) throw new RangeError('a zstd table has too many symbols');
    }
  }
  const end = (at + 7) >> 3;
  if (end > to) throw new RangeError('a zstd table exceeds its block');
  return { table: fseTable(counts, accuracy), end };
}
