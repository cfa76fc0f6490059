/** Requests that a command has under way at once. */
const WIDTH = 8;

/** Calls `work` for each item, a few at a time. The results are in the order of the items; the first error rejects. */
export async function sideBySide<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const i = next++;
      results[i] = await work(items[i] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(WIDTH, items.length) }, worker));
  return results;
}
