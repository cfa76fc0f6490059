import { emptyAssignment, subscribersByTopic, type Assignor } from './assignor';

/**
 * Per topic, contiguous ranges in member order; the first members get one more of the remainder. Java's default.
 */
export const rangeAssignor: Assignor = {
  name: 'range',
  rebalance: 'eager',
  assign(counts, members) {
    const assignment = emptyAssignment(members);
    for (const [topic, subscribers] of subscribersByTopic(counts, members)) {
      const total = counts.get(topic) ?? 0;
      const share = Math.floor(total / subscribers.length);
      const extra = total % subscribers.length;
      let partition = 0;
      subscribers.forEach((id, index) => {
        for (let left = share + (index < extra ? 1 : 0); left > 0; left--) {
          assignment.get(id)?.push({ topic, partition: partition++ });
        }
      });
    }
    return assignment;
  },
};
