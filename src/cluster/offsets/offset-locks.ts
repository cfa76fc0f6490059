/**
 * Connectors whose offsets are being changed by this worker, the leader. Their tasks are not published meanwhile: a
 * connector that is resumed too early starts its tasks with offsets as they are afterwards.
 */
export interface OffsetLock {
  /** Held until this has settled, too. */
  keep(change: Promise<unknown>): void;
  release(): void;
}

export class OffsetLocks {
  private readonly held = new Set<string>();

  isHeld(connector: string): boolean {
    return this.held.has(connector);
  }

  /** Null while another change is under way. */
  hold(connector: string): OffsetLock | null {
    if (this.held.has(connector)) return null;
    this.held.add(connector);
    const kept: Promise<unknown>[] = [];
    return {
      keep: (change) => {
        kept.push(change);
      },
      release: () => {
        void Promise.allSettled(kept).then(() => this.held.delete(connector));
      },
    };
  }
}

/** For those that have to wait. */
export function offsetsAreChanging(connector: string): string {
  return `The offsets of connector ${connector} are being changed`;
}
