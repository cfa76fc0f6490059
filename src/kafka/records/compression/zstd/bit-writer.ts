/** Bits in the order of zstd's streams: the lowest bits of each byte first. The decoder reads them from the end. */
export class BitWriter {
  private word = 0;
  private used = 0;

  constructor(
    private readonly out: Uint8Array,
    public end: number,
  ) {}

  /** @param count at most 24 */
  put(value: number, count: number): void {
    this.word |= value << this.used;
    this.used += count;
    while (this.used >= 8) {
      this.out[this.end++] = this.word & 255;
      this.word >>>= 8;
      this.used -= 8;
    }
  }

  /** Marks the end of the stream. Returns the byte after it. */
  finish(): number {
    this.put(1, 1);
    if (this.used > 0) this.out[this.end++] = this.word;
    return this.end;
  }
}
