/** The sequences of a compressed zstd block: literals followed by a match. Format: RFC 8878, section 3.1.1.3.2. */
import { copyLiterals, copyMatch } from '../byte-copies';
import { bitsAt, endOfBits } from './bit-stream';
import { LAST_OFFSET_CODE, LITERAL_LENGTHS, MATCH_LENGTHS, PREDEFINED } from './codes';
import { readFseTable, rleTable, type FseTable } from './fse-table';
import type { ZstdLiterals } from './literals';

const MODE_PREDEFINED = 0;
const MODE_RLE = 1;
const MODE_FSE = 2;
/** Three bytes of sequence count start here. */
const LONG_COUNT_BASE = 0x7f00;
/** Offset codes up to here take their bits from one word. */
const WORD_BITS = 25;
const LOW_BITS = 16;

/** Where a block's content is written: matches refer to `out[first..)`, and the content ends before `stop`. */
export interface Target {
  out: Buffer;
  first: number;
  stop: number;
}

interface Kind {
  predefined: FseTable;
  lastCode: number;
  highestAccuracy: number;
}
const KINDS: readonly Kind[] = [
  { predefined: PREDEFINED.literalLengths, lastCode: LITERAL_LENGTHS.bits.length - 1, highestAccuracy: 9 },
  { predefined: PREDEFINED.offsets, lastCode: LAST_OFFSET_CODE, highestAccuracy: 8 },
  { predefined: PREDEFINED.matchLengths, lastCode: MATCH_LENGTHS.bits.length - 1, highestAccuracy: 9 },
];

export class ZstdSequences {
  /** Of the previous block, by index in KINDS. */
  private readonly tables: (FseTable | null)[] = [null, null, null];
  private readonly recentOffsets = new Int32Array(3);

  /** At the start of a frame. */
  reset(): void {
    this.tables.fill(null);
    this.recentOffsets.set([1, 4, 8]);
  }

  /**
   * Writes what the sequences in `block[from..to)` and `literals` stand for at byte `end` of the target.
   * @returns the end of what is written
   * @throws RangeError
   */
  decode(block: Buffer, from: number, to: number, literals: ZstdLiterals, target: Target, end: number): number {
    let at = from;
    let count = at < to ? block[at++]! : -1;
    if (count >= 128) {
      const high = count;
      count = high < 255 ? ((high - 128) << 8) + block[at]! : block.readUInt16LE(at) + LONG_COUNT_BASE;
      at += high < 255 ? 1 : 2;
    }
    if (count < 0 || at > to || (count === 0 && at !== to)) throw new RangeError('invalid zstd sequence count');
    if (count > 0) return this.execute(block, this.readTables(block, at, to), to, count, literals, target, end);
    if (end + literals.size > target.stop) throw new RangeError('a zstd block exceeds its size');
    return copyLiterals(literals.bytes, literals.from, literals.size, target.out, end);
  }

  private readTables(block: Buffer, from: number, to: number): number {
    let at = from + 1;
    const modes = block[from]!;
    if (at > to || modes & 3) throw new RangeError('unknown zstd sequence tables');
    KINDS.forEach(({ predefined, lastCode, highestAccuracy }, kind) => {
      const mode = (modes >> (6 - 2 * kind)) & 3;
      if (mode === MODE_PREDEFINED) this.tables[kind] = predefined;
      else if (mode === MODE_RLE) {
        if (at >= to || block[at]! > lastCode) throw new RangeError('unknown zstd sequence code');
        this.tables[kind] = rleTable(block[at++]!);
      } else if (mode === MODE_FSE) {
        const { table, end } = readFseTable(block, at, to, lastCode, highestAccuracy);
        this.tables[kind] = table;
        at = end;
      } else if (this.tables[kind] === null) throw new RangeError('a zstd block refers to a table that is not there');
    });
    return at;
  }

  private execute(
    block: Buffer,
    from: number,
    to: number,
    count: number,
    literals: ZstdLiterals,
    { out, first, stop }: Target,
    start: number,
  ): number {
    const [lengthTable, offsetTable, matchTable] = this.tables as [FseTable, FseTable, FseTable];
    const { bytes } = literals;
    let literalAt = literals.from;
    const literalsEnd = literalAt + literals.size;
    let [offset1, offset2, offset3] = this.recentOffsets as unknown as [number, number, number];
    const firstBit = from * 8;
    let at = endOfBits(block, from, to);
    let lengthState = bitsAt(block, (at -= lengthTable.accuracy), lengthTable.accuracy);
    let offsetState = bitsAt(block, (at -= offsetTable.accuracy), offsetTable.accuracy);
    let matchState = bitsAt(block, (at -= matchTable.accuracy), matchTable.accuracy);
    let end = start;
    for (let left = count; ; left--) {
      const lengthCode = lengthTable.symbols[lengthState]!;
      const offsetCode = offsetTable.symbols[offsetState]!;
      const matchCode = matchTable.symbols[matchState]!;
      let offset: number;
      if (offsetCode <= WORD_BITS) offset = (1 << offsetCode) + bitsAt(block, (at -= offsetCode), offsetCode);
      else {
        const high = bitsAt(block, (at -= offsetCode - LOW_BITS), offsetCode - LOW_BITS);
        offset = 2 ** offsetCode + high * 2 ** LOW_BITS + bitsAt(block, (at -= LOW_BITS), LOW_BITS);
      }
      const matchBits = MATCH_LENGTHS.bits[matchCode]!;
      const match = MATCH_LENGTHS.bases[matchCode]! + bitsAt(block, (at -= matchBits), matchBits);
      const lengthBits = LITERAL_LENGTHS.bits[lengthCode]!;
      const length = LITERAL_LENGTHS.bases[lengthCode]! + bitsAt(block, (at -= lengthBits), lengthBits);

      // The values 1 to 3 stand for recent offsets; without literals, the most recent one is not among them.
      if (offset > 3) {
        offset -= 3;
        offset3 = offset2;
        offset2 = offset1;
      } else {
        const recent = length === 0 ? offset : offset - 1;
        offset = recent === 0 ? offset1 : recent === 1 ? offset2 : recent === 2 ? offset3 : offset1 - 1;
        if (recent > 1) offset3 = offset2;
        if (recent > 0) offset2 = offset1;
      }
      offset1 = offset;

      const copyFrom = end + length - offset;
      if (at < firstBit || literalAt + length > literalsEnd || end + length + match > stop)
        throw new RangeError('zstd sequences exceed their block');
      if (offset === 0 || copyFrom < first) throw new RangeError('a zstd match refers to bytes before its frame');
      end = copyLiterals(bytes, literalAt, length, out, end);
      literalAt += length;
      end = copyMatch(out, copyFrom, end, match);
      if (left === 1) break;

      const lengthStep = lengthTable.bits[lengthState]!;
      lengthState = lengthTable.bases[lengthState]! + bitsAt(block, (at -= lengthStep), lengthStep);
      const matchStep = matchTable.bits[matchState]!;
      matchState = matchTable.bases[matchState]! + bitsAt(block, (at -= matchStep), matchStep);
      const offsetStep = offsetTable.bits[offsetState]!;
      offsetState = offsetTable.bases[offsetState]! + bitsAt(block, (at -= offsetStep), offsetStep);
    }
    if (at !== firstBit) throw new RangeError('a zstd block has bits after its sequences');
    this.recentOffsets.set([offset1, offset2, offset3]);
    const rest = literalsEnd - literalAt;
    if (end + rest > stop) throw new RangeError('a zstd block exceeds its size');
    return copyLiterals(bytes, literalAt, rest, out, end);
  }
}
