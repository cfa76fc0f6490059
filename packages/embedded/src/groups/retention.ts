/** Expiration of committed offsets, by Apache Kafka's rules (KIP-211). */
import type { Group } from './group';
import type { OffsetCommit } from './offset-store';

/**
 * Offsets expire `retentionMs` after their commit: in an empty group, if it has also been empty that long; in a group
 * without protocol type, always; in a stable consumer group, if no member subscribes to the topic.
 * @param retentionMs `offsets.retention.minutes`, in milliseconds
 */
export function expiredOffsets(
  group: Pick<Group, 'state' | 'protocolType' | 'emptySince' | 'isSubscribedTo'>,
  offsets: readonly OffsetCommit[],
  retentionMs: number,
  now: number,
): OffsetCommit[] {
  const before = now - retentionMs;
  const isOld = ({ value }: OffsetCommit): boolean => value.committedAt <= before;
  if (group.protocolType === '') return offsets.filter(isOld);
  if (group.state === 'Empty') return (group.emptySince ?? now) <= before ? offsets.filter(isOld) : [];
  // Subscriptions are known for consumer groups only.
  if (group.state !== 'Stable' || group.protocolType !== 'consumer') return [];
  return offsets.filter((offset) => isOld(offset) && !group.isSubscribedTo(offset.topic));
}
