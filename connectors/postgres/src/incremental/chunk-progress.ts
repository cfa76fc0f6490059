/** How far an incremental snapshot is in a table, as members of its notifications (cdc-postgres §4.12). */
export interface RowCount {
  /** All rows that are to be read. */
  readonly total: number;
  /** Of them, those that earlier chunks have read. */
  readonly done: number;
}

export class ChunkProgress {
  private counted: RowCount | null = null;
  private isCounted = false;
  private chunks = 0;

  constructor(private readonly chunkSize: number) {}

  /** Another table follows. */
  reset(): void {
    this.counted = null;
    this.isCounted = false;
    this.chunks = 0;
  }

  /** A chunk was emitted. */
  chunkEnded(): void {
    this.chunks++;
  }

  /** @param count called once for each table, or since the start; resolves with null if the rows are not known */
  async count(count: () => Promise<RowCount | null>): Promise<void> {
    if (this.isCounted) return;
    this.isCounted = true;
    this.counted = await count();
    this.chunks = Math.ceil((this.counted?.done ?? 0) / this.chunkSize);
  }

  /** Of the chunk that was read. Chunks of large rows end early, so there may be more of them than the rows tell. */
  get ofChunk(): Readonly<Record<string, string>> {
    const { counted, chunkSize } = this;
    const index = this.chunks + 1;
    if (counted === null) return { chunk_index: String(index) };
    const chunks = Math.max(index, Math.ceil(counted.total / chunkSize));
    return { chunk_index: String(index), total_chunks: String(chunks), ...this.ofTable };
  }

  get ofTable(): Readonly<Record<string, string>> {
    return this.counted === null ? {} : { total_rows: String(this.counted.total) };
  }
}
