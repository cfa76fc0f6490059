/** Reads Protobuf's wire format from one record. Source: protobuf.dev, Encoding. */
import { isUtf8 } from 'node:buffer';
import { dataFault } from '../faults';
import { MOST_DEPTH, MOST_MEMBERS } from '../limits';

export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH = 2;
export const GROUP = 3;
export const GROUP_END = 4;
export const FIXED32 = 5;

const EMPTY = Buffer.alloc(0);
const TWO_32 = 4_294_967_296;
const MOST_HIGH = 0x20_0000;
/** Texts up to this length are looked through for other characters than ASCII's. */
const SHORT = 32;

/** Methods of Buffer that its types do not list. */
interface Slices {
  latin1Slice(start: number, end: number): string;
  utf8Slice(start: number, end: number): string;
}

export class WireInput {
  bytes: Buffer = EMPTY;
  at = 0;
  /** What the last `varint` read. */
  low = 0;
  high = 0;
  private members = 0;

  open(bytes: Uint8Array, at: number): void {
    this.bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.at = at;
    this.members = membersOf(this.bytes.length - at);
  }

  close(): void {
    this.bytes = EMPTY;
  }

  /** Counts what the record becomes: a short record of empty messages must not become a huge one. */
  made(members: number): void {
    if ((this.members -= members) < 0) throw dataFault('it has more members than a record of its size may have');
  }

  /** The bits above the lowest 32 are ignored, as in other implementations. */
  uint32(): number {
    this.varint();
    return this.low >>> 0;
  }

  /** A tag, or a length. */
  private exact32(): number {
    const first = this.bytes[this.at];
    if (first !== undefined && first < 128) {
      this.at++;
      return first;
    }
    this.varint();
    if (this.high !== 0) throw dataFault('a length or a tag has more than 32 bits');
    return this.low >>> 0;
  }

  /** The number of a field, times 8, and its wire type. */
  tag(): number {
    const tag = this.exact32();
    if (tag < 8) throw dataFault('a field has the number 0');
    return tag;
  }

  varint(): void {
    const { bytes } = this;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = bytes[this.at++];
      if (byte === undefined) throw dataFault('it ends early');
      const bits = byte & 127;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >> 4;
      } else high |= bits << (shift - 32);
      if (byte < 128) {
        this.low = low;
        this.high = high;
        return;
      }
    }
    throw dataFault('a number has more than 10 bytes');
  }

  int32(): number {
    this.varint();
    return this.low;
  }

  sint32(): number {
    const bits = this.uint32();
    return (bits >>> 1) ^ -(bits & 1);
  }

  int64(): number | bigint {
    this.varint();
    return signed(this.low, this.high);
  }

  uint64(): number | bigint {
    this.varint();
    return unsigned(this.low, this.high);
  }

  sint64(): number | bigint {
    this.varint();
    const { low, high } = this;
    const sign = -(low & 1);
    return signed(((low >>> 1) | (high << 31)) ^ sign, (high >>> 1) ^ sign);
  }

  bool(): boolean {
    this.varint();
    return (this.low | this.high) !== 0;
  }

  fixed32(): number {
    return this.bytes.readUInt32LE(this.advance(4));
  }

  sfixed32(): number {
    return this.bytes.readInt32LE(this.advance(4));
  }

  fixed64(): number | bigint {
    const at = this.advance(8);
    return unsigned(this.bytes.readInt32LE(at), this.bytes.readInt32LE(at + 4));
  }

  sfixed64(): number | bigint {
    const at = this.advance(8);
    return signed(this.bytes.readInt32LE(at), this.bytes.readInt32LE(at + 4));
  }

  float(): number {
    return this.bytes.readFloatLE(this.advance(4));
  }

  double(): number {
    return this.bytes.readDoubleLE(this.advance(8));
  }

  /** Where the bytes end that a length announces. */
  end(): number {
    const length = this.exact32();
    const end = this.at + length;
    if (end > this.bytes.length) throw dataFault('it ends early');
    return end;
  }

  text(): string {
    const end = this.end();
    const { bytes, at } = this;
    this.at = end;
    if (end - at <= SHORT) {
      let i = at;
      while (i < end && (bytes[i] as number) < 128) i++;
      if (i === end) return (bytes as unknown as Slices).latin1Slice(at, end);
    }
    const text = (bytes as unknown as Slices).utf8Slice(at, end);
    if (text.includes('\ufffd') && !isUtf8(bytes.subarray(at, end))) throw dataFault('a text is not valid UTF-8');
    return text;
  }

  /** A copy. */
  blob(): Buffer {
    const end = this.end();
    const blob = Buffer.from(this.bytes.subarray(this.at, end));
    this.at = end;
    return blob;
  }

  /** An unknown field, after its tag. */
  skip(wire: number, number: number, depth: number): void {
    switch (wire) {
      case VARINT:
        this.varint();
        return;
      case FIXED64:
        this.advance(8);
        return;
      case LENGTH:
        this.at = this.end();
        return;
      case GROUP:
        this.skipGroup(number, depth + 1);
        return;
      case FIXED32:
        this.advance(4);
        return;
      default:
        throw dataFault(wire === GROUP_END ? 'a group ends that did not begin' : `${wire} is no wire type`);
    }
  }

  private skipGroup(number: number, depth: number): void {
    checkDepth(depth);
    for (;;) {
      const tag = this.tag();
      if ((tag & 7) !== GROUP_END) this.skip(tag & 7, tag >>> 3, depth);
      else if (tag >>> 3 === number) return;
      else throw dataFault('a group ends that did not begin');
    }
  }

  private advance(count: number): number {
    const { at } = this;
    if (at + count > this.bytes.length) throw dataFault('it ends early');
    this.at = at + count;
    return at;
  }
}

/** How many members a record may become: messages may lack most of their fields. */
function membersOf(length: number): number {
  return Math.min(MOST_MEMBERS, 500_000 + 16 * length);
}

export function checkDepth(depth: number): void {
  if (depth > MOST_DEPTH) throw dataFault(`its values are nested more than ${MOST_DEPTH} times`);
}

function signed(low: number, high: number): number | bigint {
  if (high < MOST_HIGH && high >= -MOST_HIGH) {
    const number = high * TWO_32 + (low >>> 0);
    if (Number.isSafeInteger(number)) return number;
  }
  return (BigInt(high) << 32n) | BigInt(low >>> 0);
}

/** Connect's largest integer is the signed one of 64 bits. */
function unsigned(low: number, high: number): number | bigint {
  if (high < 0) throw dataFault('an unsigned integer is larger than an INT64 of Connect can be');
  return signed(low, high);
}
