/**
 * Connectors whose offsets this worker, the leader, is changing. Their task configs are not published meanwhile, so
 * that a connector resumed early starts its tasks with the new offsets.
 */
export interface OffsetLock {
  /** Extends the lock until the change has settled. */
  keep(change: Promise<unknown>): void;
  release(): void;
}

export class OffsetLocks {
  private readonly held = new Set<string>();

  isHeld(connector: string): boolean {
    return this.held.has(connector);
  }

  /** Null while another change is in progress. */
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

/** The reason for refused requests. */
export function offsetsAreChanging(connector: string): string {
  return `The offsets of connector ${connector} are being changed`;
}
