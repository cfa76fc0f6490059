/** Which changes of the config topic this worker may still write. */
import type { SendPermission } from '../../kafka/port';
import type { ChangePermission, Decider } from '../../storage/change-permission';
import type { SessionLease } from '../../tasks/session-lease';
import { sessionPulse, type SessionSettings } from './pulse';

interface OpenChange {
  ask(): ReturnType<SendPermission['ask']>;
  end(): void;
}

export class ConfigPermission implements ChangePermission {
  /** Nothing is written that belongs to no change. */
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

  /** There may be another leader as soon as the membership that it was decided under is over. */
  private byLeader(): OpenChange {
    const { lease } = this;
    const { term } = lease;
    return { ask: () => (lease.term === term ? lease.ask() : 'never'), end: () => undefined };
  }

  /**
   * A client waits for it, whatever becomes of the membership meanwhile, and with none at all. But not if the process
   * slept: others may have done something newer by then.
   */
  private byAny(): OpenChange {
    const pulse = sessionPulse(this.settings);
    return { ask: () => (pulse.isSteady ? 'now' : 'never'), end: () => pulse.end() };
  }
}
