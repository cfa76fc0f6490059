/** A map that evicts the least recently used entry. */
export class LruMap<K, V> {
  private readonly map = new Map<K, V>();
  private newest: K | undefined;
  constructor(private readonly limit: number) {}

  get(key: K): V | undefined {
    const value = this.map.get(key);
    if (value !== undefined && key !== this.newest) this.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.map.delete(key);
    this.map.set(key, value);
    this.newest = key;
    if (this.map.size > this.limit) this.map.delete(this.map.keys().next().value as K);
  }
}
