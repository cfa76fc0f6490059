/**
 * Reads the wire format of Protocol Buffers in place. Every length is checked against the end of the message, and
 * nothing nests deeper than the messages of decoderbufs do.
 */
import { ConnectError } from '@millrace/sdk';
import { int64 } from '../../values/value-type';

const VARINT = 0;
const FIXED64 = 1;
export const BYTES = 2;
const FIXED32 = 5;

const LONGEST_VARINT = 10;

export function malformed(what: string): ConnectError {
  return new ConnectError(
    `A change message of the plugin decoderbufs is malformed: ${what}. Use the plugin's release for this server, or plugin.name=pgoutput.`,
    { code: 'PG_PROTOCOL' },
  );
}

export class WireReader {
  private buffer: Buffer = Buffer.alloc(0);
  at = 0;
  end = 0;
  /** Of the last `field`. */
  wireType = 0;
  /** Bounds of the last `bytes`. */
  start = 0;
  stop = 0;
  private low = 0;
  private high = 0;

  open(buffer: Buffer, at: number, end: number): void {
    this.buffer = buffer;
    this.at = at;
    this.end = end;
  }

  /** Number of the next field; 0 at the end. Its value must be read or skipped next. */
  field(): number {
    if (this.at >= this.end) return 0;
    this.varint();
    this.wireType = this.low & 7;
    const number = this.high * 0x20000000 + (this.low >>> 3);
    if (number === 0) throw malformed('field number 0');
    return number;
  }

  skip(): void {
    switch (this.wireType) {
      case VARINT:
        this.varint();
        return;
      case FIXED64:
        this.take(8);
        return;
      case BYTES:
        this.bytes();
        return;
      case FIXED32:
        this.take(4);
        return;
      default:
        throw malformed(`wire type ${this.wireType}`);
    }
  }

  private take(count: number): number {
    const from = this.at;
    if (count > this.end - from) throw malformed('a value ends after its message');
    this.at = from + count;
    return from;
  }

  private expect(wireType: number): void {
    if (this.wireType !== wireType) throw malformed(`wire type ${this.wireType} instead of ${wireType}`);
  }

  private varint(): void {
    const { buffer, end } = this;
    let { at } = this;
    let low = 0;
    let high = 0;
    for (let shift = 0; ; shift += 7) {
      if (at >= end) throw malformed('an integer ends after its message');
      if (shift >= LONGEST_VARINT * 7) throw malformed('an integer of more than 64 bits');
      const byte = buffer[at++] as number;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else if (shift < 63) high |= bits << (shift - 32);
      else high |= (bits & 1) << 31;
      if (byte < 0x80) break;
    }
    this.at = at;
    this.low = low >>> 0;
    this.high = high >>> 0;
  }

  uint32(): number {
    this.expect(VARINT);
    this.varint();
    return this.low;
  }

  int32(): number {
    return this.uint32() | 0;
  }

  /** Number, or bigint outside ±2^53. */
  int64(): number | bigint {
    this.expect(VARINT);
    this.varint();
    const high = this.high | 0;
    if (high >= -0x200000 && high < 0x200000) {
      const value = high * 4294967296 + this.low;
      if (Number.isSafeInteger(value)) return value;
    }
    return int64((BigInt(high) << 32n) | BigInt(this.low));
  }

  /** Sets `start` and `stop`. */
  bytes(): void {
    this.expect(BYTES);
    this.varint();
    const length = this.high === 0 ? this.low : Infinity;
    this.start = this.take(length);
    this.stop = this.at;
  }

  text(): string {
    this.bytes();
    return this.buffer.toString('utf8', this.start, this.stop);
  }

  float(): number {
    this.expect(FIXED32);
    return this.buffer.readFloatLE(this.take(4));
  }

  double(): number {
    this.expect(FIXED64);
    return this.buffer.readDoubleLE(this.take(8));
  }
}
