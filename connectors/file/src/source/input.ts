/** Source of the bytes to split into lines. */
export interface Input {
  /** For log lines. */
  readonly name: string;
  /** Null: standard input, which cannot resume at a position. */
  readonly file: string | null;
  /**
   * Reads into `room`, at `position` if the input has positions. Does not wait for data: `nothing` means that none is
   * available. `truncated`: restart at 0, the file is shorter than `position`. `replaced`: restart at 0 in a new file,
   * the old one was read to its end.
   */
  read(room: Buffer, position: number): Promise<number | 'nothing' | 'truncated' | 'replaced'>;
  close(): Promise<void>;
}
