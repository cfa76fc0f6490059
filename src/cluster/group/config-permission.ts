/** Decides which changes of the config topic this worker may still write. */
import type { SendPermission } from '../../kafka/port';
import type { ChangePermission, Decider } from '../../storage/config/change-permission';
import type { SessionLease } from '../../tasks/session-lease';
import { detectSuspension, type SessionSettings } from './suspension-detector';

interface OpenChange {
  ask(): ReturnType<SendPermission['ask']>;
  end(): void;
}

export class ConfigPermission implements ChangePermission {
  /** Writes outside a change are refused. */
  readonly term = 0;
  private last = 0;
  private readonly open = new Map<number, OpenChange>();

  constructor(
    private readonly lease: SessionLease,
    private readonly settings: SessionSettings,
  ) {}

  begin(decider: Decider): number {
    this.open.set(++this.last, decider === 'leader' ? this.byLeader() : this.byAny());
    return this.last;
  }

  end(term: number): void {
    this.open.get(term)?.end();
    this.open.delete(term);
  }

  ask(term: number): ReturnType<SendPermission['ask']> {
    return this.open.get(term)?.ask() ?? 'never';
  }

  /** Only while the membership lasts that the change was decided under: afterwards another member may lead. */
  private byLeader(): OpenChange {
    const { lease } = this;
    const { term } = lease;
    return { ask: () => (lease.term === term ? lease.ask() : 'never'), end: () => undefined };
  }

  /**
   * A client waits for the change, so it does not depend on the membership. But not if the process was suspended: other
   * workers may have written something newer.
   */
  private byAny(): OpenChange {
    const suspension = detectSuspension(this.settings);
    return { ask: () => (suspension.wasSuspended ? 'never' : 'now'), end: () => suspension.end() };
  }
}
