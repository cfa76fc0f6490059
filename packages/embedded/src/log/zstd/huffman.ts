/** Huffman codes of zstd's literals (RFC 8878, section 4.2). */
import { bitsAt, endOfBits, lastBits } from './bit-stream';
import { readFseTable } from './fse-table';

/** Indexed by the next `width` bits: the symbol in the high byte, the length of its code in the low one. */
export interface HuffmanTable {
  width: number;
  codes: Uint16Array;
}

const LONGEST_CODE = 11;
const MOST_WEIGHTS = 255;
const WEIGHTS_ACCURACY = 6;
const DIRECT = 128;

/**
 * Reads the description of a table at byte `from`.
 * @returns the table and the byte after its description
 * @throws RangeError
 */
export function readHuffmanTable(bytes: Uint8Array, from: number, to: number): { table: HuffmanTable; end: number } {
  const head = from < to ? bytes[from]! : 0;
  const isDirect = head >= DIRECT;
  const count = head - DIRECT + 1;
  const end = from + 1 + (isDirect ? (count + 1) >> 1 : head);
  if (head === 0 || end > to) throw new RangeError('zstd Huffman weights exceed their block');
  const weights: number[] = [];
  if (!isDirect) readWeights(bytes, from + 1, end, weights);
  else for (let i = 0; i < count; i++) weights.push((bytes[from + 1 + (i >> 1)]! >> (i & 1 ? 0 : 4)) & 15);
  return { table: huffmanTable(weights), end };
}

/** Two states take turns until the bits are used up. */
function readWeights(bytes: Uint8Array, from: number, to: number, weights: number[]): void {
  const { table, end } = readFseTable(bytes, from, to, LONGEST_CODE + 1, WEIGHTS_ACCURACY);
  const { accuracy, symbols, bits, bases } = table;
  const first = end * 8;
  let at = endOfBits(bytes, end, to);
  if (at - first < 2 * accuracy) throw new RangeError('zstd Huffman weights are cut off');
  let state = bitsAt(bytes, (at -= accuracy), accuracy);
  let other = bitsAt(bytes, (at -= accuracy), accuracy);
  for (;;) {
    if (weights.length >= MOST_WEIGHTS - 1) throw new RangeError('too many zstd Huffman weights');
    weights.push(symbols[state]!);
    const count = bits[state]!;
    if (at - first < count) break;
    at -= count;
    [state, other] = [other, bases[state]! + bitsAt(bytes, at, count)];
  }
  weights.push(symbols[other]!);
}

/** @param weights of all symbols but the last, whose weight completes a power of two */
function huffmanTable(weights: number[]): HuffmanTable {
  let sum = 0;
  for (const weight of weights) sum += (1 << weight) >> 1;
  const width = 32 - Math.clz32(sum);
  const rest = (1 << width) - sum;
  if (sum === 0 || width > LONGEST_CODE || (rest & (rest - 1)) !== 0) throw new RangeError('invalid zstd weights');
  weights.push(32 - Math.clz32(rest));
  const codes = new Uint16Array(1 << width);
  let at = 0;
  for (let weight = 1; weight <= width; weight++)
    for (let symbol = 0; symbol < weights.length; symbol++) {
      if (weights[symbol] !== weight) continue;
      const next = at + (1 << (weight - 1));
      codes.fill((symbol << 8) | (width + 1 - weight), at, next);
      at = next;
    }
  return { width, codes };
}

/**
 * Decodes the stream in `bytes[from..to)` to `out[start..stop)`.
 * @throws RangeError unless it has exactly as many symbols
 */
export function decodeHuffman(
  { width, codes }: HuffmanTable,
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  start: number,
  stop: number,
): void {
  const first = from * 8;
  let at = endOfBits(bytes, from, to);
  let end = start;
  const mask = (1 << width) - 1;
  // A word has the bits of two symbols at least.
  while (at - first >= 24 && end + 2 <= stop) {
    const i = (at - 24) >> 3;
    const word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    let left = at - i * 8;
    const one = codes[(word >>> (left - width)) & mask]!;
    left -= one & 255;
    const two = codes[(word >>> (left - width)) & mask]!;
    at = i * 8 + left - (two & 255);
    out[end] = one >> 8;
    out[end + 1] = two >> 8;
    end += 2;
  }
  while (end < stop && at > first) {
    const code = codes[lastBits(bytes, first, at, width)]!;
    out[end++] = code >> 8;
    at -= code & 255;
  }
  if (end !== stop || at !== first) throw new RangeError('a zstd Huffman stream does not match its size');
}
