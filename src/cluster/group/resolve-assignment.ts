/** What a member does with a fresh assignment before it starts anything. Pure. Source: connect-runtime §2.6 step 7. */
export interface AssignmentSituation {
  readonly configMismatch: boolean;
  readonly isLeader: boolean;
  /** Config offset this worker has read. */
  readonly ownOffset: number;
  /** Config offset the assignment was made at. */
  readonly assignmentOffset: number;
  /** Absolute, milliseconds; null: none. */
  readonly scheduledRebalance: number | null;
  readonly now: number;
}

/** True when the config topic must be read to its end before `resolution` can be asked. */
export function mustCatchUp({ configMismatch, isLeader, ownOffset, assignmentOffset }: AssignmentSituation): boolean {
  return ownOffset < assignmentOffset || (configMismatch && isLeader);
}

/** Null: start the work. Otherwise why the group must be joined again first. */
export function rejoinReason(situation: AssignmentSituation): string | null {
  const { configMismatch, ownOffset, assignmentOffset, scheduledRebalance, now } = situation;
  if (configMismatch) return 'the leader had read less of the config topic than another member';
  if (scheduledRebalance !== null && scheduledRebalance <= now) return 'the scheduled rebalance is due';
  if (ownOffset !== assignmentOffset) return `config offset ${ownOffset} is not the assignment's, ${assignmentOffset}`;
  return null;
}
