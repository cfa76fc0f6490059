/** Which changes of the config topic may still be written: a decision may be outdated after a rebalance. */
import type { SendPermission } from '@millrace/kafka-client';

/** `leader`: only the leader of the group may decide the change. `any`: every worker may, for its own client. */
export type Decider = 'leader' | 'any';

export interface ChangePermission extends SendPermission {
  /** Begins a change. @returns the epoch under which its records are written */
  begin(decider: Decider): number;
  /** Ends the change: records that have not been sent are dropped. */
  end(epoch: number): void;
}
