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

  /** Ids that were reserved but not allocated before the restart are skipped. */
  static restore(log: KeyValueLog, stored: ReadonlyMap<string, string>): ProducerIds {
    return new ProducerIds(log, Number(stored.get(KEY) ?? 0));
  }

  async allocate(): Promise<number> {
    while (this.next === this.reserved) await (this.reserving ??= this.reserve());
    return this.next++;
  }

  private async reserve(): Promise<void> {
    try {
      const reserved = this.reserved + BLOCK;
      await this.log.append(KEY, JSON.stringify(reserved));
      this.reserved = reserved;
    } finally {
      this.reserving = null;
    }
  }
}
