/** Where lines come from. */
export interface Input {
  /** For logs. */
  readonly name: string;
  /** Null where reading cannot go on from a position: standard input. */
  readonly file: string | null;
  /**
   * Reads into `room`, at `position` where the input has positions. Never waits for data: `nothing` means there is none
   * now. `truncated`: begin again at 0, the bytes read before are gone. `replaced`: the same, but the old file was read
   * to its end first.
   */
  read(room: Buffer, position: number): Promise<number | 'nothing' | 'truncated' | 'replaced'>;
  close(): Promise<void>;
}
