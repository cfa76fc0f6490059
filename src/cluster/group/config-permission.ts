/** Decides which changes of the config topic this worker may still write. */
import type { SendPermission } from '@millrace/kafka-client';
import type { ChangePermission, Decider } from '../../storage/config/change-permission';
import type { SessionLease } from '../../tasks/session-lease';
import { detectSuspension, type SessionSettings } from './suspension-detector';

interface OpenChange {
  check(): ReturnType<SendPermission['check']>;
  end(): void;
}

export class ConfigPermission implements ChangePermission {
  /** Writes outside a change are refused. */
  readonly epoch = 0;
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

  end(epoch: number): void {
    this.open.get(epoch)?.end();
    this.open.delete(epoch);
  }

  check(epoch: number): ReturnType<SendPermission['check']> {
    return this.open.get(epoch)?.check() ?? 'never';
  }

  /** Only while the membership lasts that the change was decided under: afterwards another member may lead. */
  private byLeader(): OpenChange {
    const { lease } = this;
    const { epoch } = lease;
    return { check: () => (lease.epoch === epoch ? lease.check() : 'never'), end: () => undefined };
  }

  /**
   * A client waits for the change, so it does not depend on the membership. But not if the process was suspended: other
   * workers may have written something newer.
   */
  private byAny(): OpenChange {
    const suspension = detectSuspension(this.settings);
    return { check: () => (suspension.wasSuspended ? 'never' : 'now'), end: () => suspension.end() };
  }
}
