/** The protocol groups partitions by topic; the client's lists are flat. Keeps the order. */
export function groupByTopic<T extends { readonly topic: string }>(items: readonly T[]): [topic: string, items: T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.topic);
    if (group === undefined) groups.set(item.topic, [item]);
    else group.push(item);
  }
  return [...groups];
}

/** Groups partitions by topic, and renames their fields to those of a request. */
export function topicsOf<T extends { readonly topic: string }, P>(
  items: readonly T[],
  partition: (item: T) => P,
): { name: string; partitions: P[] }[] {
  return groupByTopic(items).map(([name, group]) => ({ name, partitions: group.map(partition) }));
}

/** The partitions of all topics of a response, as a flat list. */
export function partitionsOf<P, R>(
  topics: readonly { readonly name: string; readonly partitions: readonly P[] }[],
  result: (topic: string, partition: P) => R,
): R[] {
  return topics.flatMap(({ name, partitions }) => partitions.map((partition) => result(name, partition)));
}

export interface PartitionError {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
}

export function partitionErrorsOf(
  topics: readonly {
    readonly name: string;
    readonly partitions: readonly { readonly partitionIndex: number; readonly errorCode: number }[];
  }[],
): PartitionError[] {
  return partitionsOf(topics, (topic, { partitionIndex, errorCode }) => ({
    ...{ topic, partition: partitionIndex, errorCode },
  }));
}
