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
 * Who still holds what: a claim counts when the topic exists and is subscribed. Of several claims the newest generation
 * wins; two of the same generation cancel each other, because neither can be trusted.
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
 * Everybody keeps what they hold, the rest goes to whoever has least, and then partitions move from those with most to
 * those with least until no move brings the two closer. Each move lowers the sum of squares of the loads, so this ends.
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

/** Balanced, and moves as little as it can; everybody gives everything up while rejoining. */
export const stickyAssignor: Assignor = { name: 'sticky', rebalance: 'eager', assign: assignSticky };

/**
 * The same for members that keep what they own while rejoining: a partition that changes hands is given to nobody in
 * this round, so that its old owner has given it up before its new owner gets it in the next.
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
