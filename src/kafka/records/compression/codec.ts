export interface Codec {
  /** @param level codec specific; undefined: the codec's default. */
  compress(records: Buffer, level?: number): Buffer | Promise<Buffer>;
  /**
   * Allocates at most a small multiple of `limit`, whatever size the compressed data declares.
   * @throws DecompressionLimitError for more than `limit` bytes. Corrupt data throws the codec's own error.
   */
  decompress(compressed: Buffer, limit: number): Buffer;
}
