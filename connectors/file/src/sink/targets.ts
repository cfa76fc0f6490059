/**
 * The open files of a task, opened on demand. Their number is bounded: the least recently used file is closed.
 */
import type { LineTarget } from './line-target';

const MAX_OPEN = 64;

export class Targets {
  /** In order of last use. */
  private readonly open = new Map<string, LineTarget>();

  constructor(
    private readonly openTarget: (name: string) => Promise<LineTarget>,
    private readonly maxOpen = MAX_OPEN,
  ) {}

  async get(name: string): Promise<LineTarget> {
    const known = this.open.get(name);
    this.open.delete(name);
    const oldest = this.open.keys().next();
    if (!known && this.open.size >= this.maxOpen && !oldest.done) await this.closeOne(oldest.value, true);
    const target = known ?? (await this.openTarget(name));
    this.open.set(name, target);
    return target;
  }

  async each(action: (target: LineTarget) => Promise<void>): Promise<void> {
    for (const target of this.open.values()) await action(target);
  }

  async tick(now: number): Promise<void> {
    await this.each((target) => target.tick(now));
  }

  /** Closes every file, also after a failure, then throws the first failure. */
  async close(complete: boolean): Promise<void> {
    const failures: unknown[] = [];
    for (const name of [...this.open.keys()])
      await this.closeOne(name, complete).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  private async closeOne(name: string, complete: boolean): Promise<void> {
    await this.open.get(name)?.close(complete);
    this.open.delete(name);
  }
}
