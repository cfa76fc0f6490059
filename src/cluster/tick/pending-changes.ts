/**
 * Changes of the config topic that the tick has not processed yet. Pure. Sources: connect-runtime §2.9, §3.1 step 7,
 * §3.7.
 */
import type { ConfigSnapshot } from '../../storage/config/config-snapshot';
import type { ConfigEvent } from '../../storage/config/config-state';
import { mergeRestarts, type PendingRestart } from '../running/restart-plan';

export interface Changes {
  readonly needsRebalance: boolean;
  /** Existing connectors whose config has changed. */
  readonly connectors: readonly string[];
  readonly targetStates: readonly string[];
  /** Connectors whose task configs have changed. */
  readonly tasks: readonly string[];
}

export class PendingChanges {
  private isRebalanceNeeded = false;
  private readonly connectors = new Set<string>();
  private readonly targetStates = new Set<string>();
  private readonly tasks = new Set<string>();
  /** Connectors whose changed task configs are part of the coming rebalance. */
  private readonly coveredTasks = new Set<string>();
  private restarts = new Map<string, PendingRestart>();

  /** A change was read that requires a rebalance. */
  get needsRebalance(): boolean {
    return this.isRebalanceNeeded;
  }

  /** `known`: the tick's current snapshot, which does not include this change yet. */
  record(event: ConfigEvent, known: ConfigSnapshot): void {
    switch (event.type) {
      case 'connector-updated':
        if (known.contains(event.connector)) this.connectors.add(event.connector);
        else this.isRebalanceNeeded = true;
        return;
      case 'connector-removed':
        if (known.contains(event.connector)) this.isRebalanceNeeded = true;
        return;
      case 'target-state-changed':
        this.targetStates.add(event.connector);
        return;
      case 'tasks-committed':
        if (event.tasks.length > 0) this.tasks.add(event.connector);
        this.isRebalanceNeeded = true;
        return;
      case 'restart-requested':
        this.restarts.set(event.connector, mergeRestarts(this.restarts.get(event.connector), event));
        return;
      case 'session-key':
      case 'logger-level':
    }
  }

  /** A snapshot for a rebalance was taken just now, which includes everything recorded so far. */
  cover(): void {
    this.isRebalanceNeeded = false;
    for (const connector of this.tasks) this.coveredTasks.add(connector);
    this.tasks.clear();
  }

  /** Connectors whose tasks must restart now that their rebalance is over. */
  takeCoveredTasks(): string[] {
    const taken = [...this.coveredTasks];
    this.coveredTasks.clear();
    return taken;
  }

  /** Null when nothing has changed. */
  take(): Changes | null {
    const { needsRebalance, connectors, targetStates, tasks } = this;
    if (!needsRebalance && connectors.size === 0 && targetStates.size === 0 && tasks.size === 0) return null;
    const taken = { needsRebalance, connectors: [...connectors], targetStates: [...targetStates], tasks: [...tasks] };
    this.isRebalanceNeeded = false;
    for (const set of [connectors, targetStates, tasks]) set.clear();
    return taken;
  }

  takeRestarts(): PendingRestart[] {
    const taken = [...this.restarts.values()];
    this.restarts = new Map();
    return taken;
  }
}
