import type { TopicPartition } from '../../port';
import {
  emptyAssignment,
  orderedMembers,
  subscribersByTopic,
  type Assignment,
  type Assignor,
  type MemberSubscription,
  type PartitionCounts,
} from './assignor';

const keyOf = (tp: TopicPartition): string => `${tp.partition}@${tp.topic}`;

/**
 * The current owners: a claim is valid when the topic exists and is subscribed. Of several claims the newest generation
 * wins; two claims of the same generation are both ignored, because neither can be trusted.
 */
function validClaims(
  counts: PartitionCounts,
  members: ReadonlyMap<string, MemberSubscription>,
): Map<string, string | null> {
  const claims = new Map<string, string | null>();
  const generations = new Map<string, number>();
  for (const id of orderedMembers(members)) {
    const member = members.get(id) as MemberSubscription;
    for (const tp of member.owned) {
      if (tp.partition >= (counts.get(tp.topic) ?? 0) || !member.topics.includes(tp.topic)) continue;
      const key = keyOf(tp);
      const before = generations.get(key);
      if (before === undefined || member.generation > before) {
        claims.set(key, id);
        generations.set(key, member.generation);
      } else if (before === member.generation) {
        claims.set(key, null);
      }
    }
  }
  return claims;
}

/**
 * Members keep their partitions, the rest goes to the least loaded members, and then partitions move from the most to
 * the least loaded until no move improves the balance. Each move lowers the sum of squares of the loads, so this
 * terminates.
 */
function assignSticky(counts: PartitionCounts, members: ReadonlyMap<string, MemberSubscription>): Assignment {
  const assignment = emptyAssignment(members);
  const claims = validClaims(counts, members);
  const subscribers = subscribersByTopic(counts, members);
  const load = (id: string): number => assignment.get(id)?.length ?? 0;
  const leastLoaded = (ids: readonly string[]): string => ids.reduce((best, id) => (load(id) < load(best) ? id : best));

  const free: TopicPartition[] = [];
  for (const topic of subscribers.keys()) {
    for (let partition = 0; partition < (counts.get(topic) ?? 0); partition++) {
      const tp = { topic, partition };
      const owner = claims.get(keyOf(tp));
      if (owner == null) free.push(tp);
      else assignment.get(owner)?.push(tp);
    }
  }
  for (const tp of free) assignment.get(leastLoaded(subscribers.get(tp.topic) as string[]))?.push(tp);

  const order = orderedMembers(members);
  for (let moved = true; moved;) {
    moved = false;
    for (const from of [...order].sort((a, b) => load(b) - load(a))) {
      const held = assignment.get(from) as TopicPartition[];
      for (let index = held.length - 1; index >= 0; index--) {
        const tp = held[index] as TopicPartition;
        const to = leastLoaded(subscribers.get(tp.topic) as string[]);
        if (load(to) + 1 >= held.length) continue;
        held.splice(index, 1);
        assignment.get(to)?.push(tp);
        moved = true;
      }
    }
  }
  return assignment;
}

/** Balanced with few moves; members revoke all partitions while they rejoin. */
export const stickyAssignor: Assignor = { name: 'sticky', rebalance: 'eager', assign: assignSticky };

/**
 * The same for members that keep their partitions while they rejoin: a partition that moves is not assigned in this
 * round, so that its owner has revoked it before the new owner gets it in the next.
 */
export const cooperativeStickyAssignor: Assignor = {
  name: 'cooperative-sticky',
  rebalance: 'cooperative',
  assign(counts, members) {
    const assignment = assignSticky(counts, members);
    const owners = new Map<string, Set<string>>();
    for (const [id, member] of members) {
      for (const tp of member.owned) {
        const key = keyOf(tp);
        owners.set(key, (owners.get(key) ?? new Set()).add(id));
      }
    }
    for (const [id, partitions] of assignment) {
      const allowed = partitions.filter((tp) => {
        const held = owners.get(keyOf(tp));
        return held === undefined || (held.size === 1 && held.has(id));
      });
      assignment.set(id, allowed);
    }
    return assignment;
  },
};
