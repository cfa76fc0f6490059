/** Allocates unique producer ids. They are reserved on disk in blocks, so that most need no write. */
import type { KeyValueLog } from '../storage/key-value-log';

const KEY = JSON.stringify(['producer-ids']);
const BLOCK = 1_000;

export class ProducerIds {
  private reserving: Promise<void> | null = null;

  /** @param reserved first id after the reserved blocks */
  constructor(
    private readonly log: KeyValueLog,
    private reserved = 0,
    private next = reserved,
  ) {}

  /**
   * Ids that were reserved but not allocated before the restart are skipped.
   * @param used the greatest id that has been used, for a log that has lost its end
   */
  static restore(log: KeyValueLog, stored: ReadonlyMap<string, string>, used: number): ProducerIds {
    return new ProducerIds(log, Math.max(Number(stored.get(KEY) ?? 0), used + 1));
  }

  async allocate(): Promise<number> {
    while (this.next === this.reserved) await (this.reserving ??= this.reserve());
    return this.next++;
  }

  private async reserve(): Promise<void> {
    try {
      const reserved = this.reserved + BLOCK;
      // A power failure must not take it: with an id that is in use, records would be taken for duplicates.
      await this.log.append(KEY, JSON.stringify(reserved), { flush: true });
      this.reserved = reserved;
    } finally {
      this.reserving = null;
    }
  }
}
