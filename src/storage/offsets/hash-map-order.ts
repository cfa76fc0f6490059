/**
 * The order in which a Java `HashMap` with these keys, put in this order, is iterated. Source: connect-runtime §1.5.3.
 */

/** `String.hashCode`. */
function javaHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return hash;
}

export function hashMapOrder(keys: readonly string[]): string[] {
  let capacity = 16;
  while (keys.length > 0.75 * capacity) capacity *= 2;
  const buckets = new Map<number, string[]>();
  for (const key of keys) {
    const hash = javaHash(key);
    const index = (hash ^ (hash >>> 16)) & (capacity - 1);
    const bucket = buckets.get(index);
    if (bucket) bucket.push(key);
    else buckets.set(index, [key]);
  }
  return [...buckets.keys()].sort((a, b) => a - b).flatMap((index) => buckets.get(index) ?? []);
}
