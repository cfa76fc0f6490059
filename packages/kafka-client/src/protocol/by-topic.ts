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
