/** The literals of a compressed zstd block. Format: RFC 8878, section 3.1.1.3.1. */
import { decodeHuffman, readHuffmanTable, type HuffmanTable } from './huffman';
import { LARGEST_BLOCK } from './frame';

const RAW = 0;
const RLE = 1;
const HUFFMAN = 2;
/** Four streams start with the sizes of the first three. */
const JUMP_TABLE_BYTES = 6;

export class ZstdLiterals {
  /** The literals are `size` bytes of it, from `from` on. */
  bytes: Buffer;
  from = 0;
  size = 0;
  private readonly decoded = Buffer.allocUnsafeSlow(LARGEST_BLOCK);
  private table: HuffmanTable | null = null;

  constructor() {
    this.bytes = this.decoded;
  }

  /** At the start of a frame. */
  reset(): void {
    this.table = null;
  }

  /**
   * Reads the literals at the start of `block`.
   * @param to the end of the block; the bytes after it are padding
   * @returns the byte after the literals
   * @throws RangeError
   */
  read(block: Buffer, to: number, largestBlock: number): number {
    const type = block[0]! & 3;
    const format = (block[0]! >> 2) & 3;
    // The padding is zero or garbage: what exceeds the block is rejected below.
    const head = block.readUInt32LE(0) >>> 4;
    if (type === RAW || type === RLE) {
      const headBytes = format === 1 ? 2 : format === 3 ? 3 : 1;
      const size = headBytes === 1 ? block[0]! >> 3 : head & (headBytes === 2 ? 0xfff : 0xfffff);
      const end = headBytes + (type === RAW ? size : 1);
      if (end > to || size > largestBlock) throw new RangeError('zstd literals exceed their block');
      this.bytes = type === RAW ? block : this.decoded;
      if (type === RLE) this.decoded.fill(block[headBytes]!, 0, size);
      this.from = type === RAW ? headBytes : 0;
      this.size = size;
      return end;
    }
    const [headBytes, bits] = format < 2 ? [3, 10] : format === 2 ? [4, 14] : [5, 18];
    const size = head & ((1 << bits) - 1);
    const sum =
      format < 3 ? (head >>> bits) & ((1 << bits) - 1) : (block[2]! >> 6) | (block[3]! << 2) | (block[4]! << 10);
    const end = headBytes + sum;
    if (end > to || size > largestBlock) throw new RangeError('zstd literals exceed their block');
    const from = type === HUFFMAN ? this.readTable(block, headBytes, end) : headBytes;
    if (this.table === null) throw new RangeError('a zstd block refers to a Huffman table that is not there');
    if (format === 0) decodeHuffman(this.table, block, from, end, this.decoded, 0, size);
    else this.decodeFour(this.table, block, from, end, size);
    [this.bytes, this.from, this.size] = [this.decoded, 0, size];
    return end;
  }

  private readTable(block: Buffer, from: number, to: number): number {
    const { table, end } = readHuffmanTable(block, from, to);
    this.table = table;
    return end;
  }

  private decodeFour(table: HuffmanTable, block: Buffer, from: number, to: number, size: number): void {
    const each = (size + 3) >> 2;
    let at = from + JUMP_TABLE_BYTES;
    if (at > to || 3 * each > size) throw new RangeError('zstd literals are too short for four streams');
    for (let i = 0; i < 4; i++) {
      const end = i < 3 ? at + block.readUInt16LE(from + 2 * i) : to;
      if (end > to) throw new RangeError('a zstd Huffman stream exceeds its literals');
      decodeHuffman(table, block, at, end, this.decoded, i * each, i < 3 ? (i + 1) * each : size);
      at = end;
    }
  }
}
