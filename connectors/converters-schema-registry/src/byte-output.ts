/** One buffer that grows, and is used again for every record. */
export class ByteOutput {
  bytes: Buffer;
  view: DataView;
  /** Where the next byte goes. */
  length = 0;

  constructor(size = 1024) {
    this.bytes = Buffer.allocUnsafeSlow(size);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Makes room for more bytes: `bytes` and `view` may be others afterwards. */
  reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** A view that is valid until the next record is written. */
  finish(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}
