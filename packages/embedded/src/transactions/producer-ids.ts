/** Producer ids, never given twice: blocks of them are reserved on disk, so that most cost no write. */
import type { KeyValueLog } from '../storage/key-value-log';

const KEY = JSON.stringify(['producer-ids']);
const BLOCK = 1_000;

export class ProducerIds {
  private reserving: Promise<void> | null = null;

  /** @param reserved first id that no block before covers. */
  constructor(
    private readonly log: KeyValueLog,
    private reserved = 0,
    private next = reserved,
  ) {}

  /** What was reserved and not given out before a restart is skipped. */
  static restore(log: KeyValueLog, kept: ReadonlyMap<string, string>): ProducerIds {
    return new ProducerIds(log, Number(kept.get(KEY) ?? 0));
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
