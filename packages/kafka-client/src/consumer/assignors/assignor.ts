/**
 * How the leader of a consumer group assigns partitions. Implementations are pure. Source: Kafka's consumer
 * protocol.
 */
import type { TopicPartition } from '../../port';

export interface MemberSubscription {
  readonly topics: readonly string[];
  /** Partitions that the member owns since `generation`; empty when not reported. */
  readonly owned: readonly TopicPartition[];
  /** -1 when not reported. */
  readonly generation: number;
  /** Static members keep their place in the order when they rejoin under a new member id. */
  readonly groupInstanceId: string | null;
}

/** Topic → number of partitions. Topics that do not exist are absent. */
export type PartitionCounts = ReadonlyMap<string, number>;
export type Assignment = Map<string, TopicPartition[]>;

export interface Assignor {
  /** As in `partition.assignment.strategy` and on the wire. */
  readonly name: 'range' | 'roundrobin' | 'sticky' | 'cooperative-sticky';
  /** `cooperative`: members keep what they own while they rejoin. */
  readonly rebalance: 'eager' | 'cooperative';
  assign(counts: PartitionCounts, members: ReadonlyMap<string, MemberSubscription>): Assignment;
}

/** Members in the order of Java's assignors: static ones first, by instance id, then the others by member id. */
export function orderedMembers(members: ReadonlyMap<string, MemberSubscription>): string[] {
  const key = (id: string): [number, string] => {
    const instance = members.get(id)?.groupInstanceId;
    return instance == null ? [1, id] : [0, instance];
  };
  return [...members.keys()].sort((a, b) => {
    const [kindA, textA] = key(a);
    const [kindB, textB] = key(b);
    return kindA - kindB || (textA < textB ? -1 : textA > textB ? 1 : 0);
  });
}

/** Topic → the members that subscribe to it, in order; topics sorted by name. */
export function subscribersByTopic(
  counts: PartitionCounts,
  members: ReadonlyMap<string, MemberSubscription>,
): Map<string, string[]> {
  const topics = new Map<string, string[]>();
  for (const id of orderedMembers(members)) {
    for (const topic of new Set(members.get(id)?.topics)) {
      if (!counts.has(topic)) continue;
      const subscribers = topics.get(topic);
      if (subscribers) subscribers.push(id);
      else topics.set(topic, [id]);
    }
  }
  return new Map([...topics].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

export function emptyAssignment(members: ReadonlyMap<string, MemberSubscription>): Assignment {
  return new Map([...members.keys()].map((id) => [id, []]));
}
