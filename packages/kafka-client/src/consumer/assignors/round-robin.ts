import { emptyAssignment, orderedMembers, subscribersByTopic, type Assignor } from './assignor';

/** Assigns all partitions of all topics in turn to the members that subscribe to the topic. */
export const roundRobinAssignor: Assignor = {
  name: 'roundrobin',
  rebalance: 'eager',
  assign(counts, members) {
    const assignment = emptyAssignment(members);
    const order = orderedMembers(members);
    let next = 0;
    for (const [topic, subscribers] of subscribersByTopic(counts, members)) {
      const wanted = new Set(subscribers);
      for (let partition = 0; partition < (counts.get(topic) ?? 0); partition++) {
        while (!wanted.has(order[next % order.length] as string)) next++;
        assignment.get(order[next++ % order.length] as string)?.push({ topic, partition });
      }
    }
    return assignment;
  },
};
