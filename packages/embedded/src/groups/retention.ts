/** Which committed offsets nobody will ask for any more. The rules are Apache Kafka's (KIP-211). */
import type { Group } from './group';
import type { OffsetCommit } from './offset-store';

/**
 * Those whose time is over: of a group without members, that long after the last of them left and after the commit; of
 * a group that only commits, after the commit; of a group at work, those of topics it does not read any more.
 * @param retentionMs `offsets.retention.minutes`
 */
export function expiredOffsets(
  group: Pick<Group, 'state' | 'protocolType' | 'emptySince' | 'reads'>,
  offsets: readonly OffsetCommit[],
  retentionMs: number,
  now: number,
): OffsetCommit[] {
  const before = now - retentionMs;
  const isOld = ({ value }: OffsetCommit): boolean => value.committedAt <= before;
  if (group.protocolType === '') return offsets.filter(isOld);
  if (group.state === 'Empty') return (group.emptySince ?? now) <= before ? offsets.filter(isOld) : [];
  // Only of consumers is it known what they read.
  if (group.state !== 'Stable' || group.protocolType !== 'consumer') return [];
  return offsets.filter((offset) => isOld(offset) && !group.reads(offset.topic));
}
