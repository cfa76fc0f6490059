/** How a member checks a new assignment before it starts anything. Pure. Source: connect-runtime §2.6 step 7. */
export interface AssignmentSituation {
  readonly configMismatch: boolean;
  readonly isLeader: boolean;
  /** Config offset that this worker has read to. */
  readonly ownOffset: number;
  /** Config offset that the assignment is based on. */
  readonly assignmentOffset: number;
  /** Absolute, milliseconds; null: none. */
  readonly scheduledRebalance: number | null;
  readonly now: number;
}

/** True when the config topic must be read to its end before `rejoinReason` is meaningful. */
export function mustCatchUp({ configMismatch, isLeader, ownOffset, assignmentOffset }: AssignmentSituation): boolean {
  return ownOffset < assignmentOffset || (configMismatch && isLeader);
}

/** Null: start the work. Otherwise the reason to rejoin the group first. */
export function rejoinReason(situation: AssignmentSituation): string | null {
  const { configMismatch, ownOffset, assignmentOffset, scheduledRebalance, now } = situation;
  if (configMismatch) return 'the leader is behind another member in the config topic';
  if (scheduledRebalance !== null && scheduledRebalance <= now) return 'the scheduled rebalance is due';
  if (ownOffset !== assignmentOffset)
    return `config offset ${ownOffset} differs from the assignment's, ${assignmentOffset}`;
  return null;
}
