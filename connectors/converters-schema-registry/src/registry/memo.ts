/** Remembers answers within bounds; calls for the same thing share one request. */
import { isConfigError, isRetriable, monotonicNow } from '@millrace/sdk';

export interface MemoOptions<V> {
  /** How long an answer counts. (Default: as long as there is room) */
  readonly ttlMs?: number;
  /** How long the refusal of a record's schema counts. Other errors are not remembered. */
  readonly failureTtlMs: number;
  /** The sum of the answers' weights. */
  readonly mostWeight: number;
  /** (Default: 1 each) */
  readonly weigh?: (value: V) => number;
}

const MOST_FAILURES = 1_000;

export class Memo<V> {
  private readonly answers = new Map<string, { readonly value: V; readonly weight: number; readonly until: number }>();
  private readonly failures = new Map<string, { readonly error: unknown; readonly until: number }>();
  private readonly pending = new Map<string, Promise<V>>();
  private weight = 0;

  constructor(private readonly options: MemoOptions<V>) {}

  async get(key: string, load: () => Promise<V>): Promise<V> {
    const now = monotonicNow();
    const found = this.answers.get(key);
    if (found !== undefined && now < found.until) {
      // Those used last are kept longest.
      this.answers.delete(key);
      this.answers.set(key, found);
      return found.value;
    }
    const failed = this.failures.get(key);
    if (failed !== undefined && now < failed.until) throw failed.error;
    let loading = this.pending.get(key);
    if (loading === undefined) {
      loading = this.load(key, load).finally(() => this.pending.delete(key));
      this.pending.set(key, loading);
    }
    return await loading;
  }

  /** The next call asks again. */
  forget(key: string): void {
    this.drop(key);
  }

  clear(): void {
    this.answers.clear();
    this.weight = 0;
  }

  private async load(key: string, load: () => Promise<V>): Promise<V> {
    try {
      const value = await load();
      this.keep(key, value);
      return value;
    } catch (error) {
      if (!isRetriable(error) && !isConfigError(error)) this.keepFailure(key, error);
      throw error;
    }
  }

  private keep(key: string, value: V): void {
    const { ttlMs = Infinity, mostWeight, weigh } = this.options;
    this.failures.delete(key);
    this.drop(key);
    const weight = weigh?.(value) ?? 1;
    this.answers.set(key, { value, weight, until: monotonicNow() + ttlMs });
    this.weight += weight;
    for (const oldest of this.answers.keys()) {
      if (this.weight <= mostWeight || oldest === key) break;
      this.drop(oldest);
    }
  }

  private keepFailure(key: string, error: unknown): void {
    this.failures.delete(key);
    if (this.failures.size >= MOST_FAILURES) this.failures.delete(this.failures.keys().next().value as string);
    this.failures.set(key, { error, until: monotonicNow() + this.options.failureTtlMs });
  }

  private drop(key: string): void {
    this.weight -= this.answers.get(key)?.weight ?? 0;
    this.answers.delete(key);
  }
}
