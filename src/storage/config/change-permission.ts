/**
 * Which changes of the config topic may still be written: what somebody decided a while ago may have been overtaken.
 */
import type { SendPermission } from '../../kafka/port';

/** `leader`: only the leader of the group may decide it. `any`: every worker may, for a client of its own. */
export type Decider = 'leader' | 'any';

export interface ChangePermission extends SendPermission {
  /** A change has been decided. @returns the epoch that its records are written with. */
  begin(decider: Decider): number;
  /** What has not been sent of it by now is never sent. */
  end(epoch: number): void;
}
