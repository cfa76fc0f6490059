/**
 * Keeps the newest changes overall, and the newest of each connector, within bounds of number and bytes. Constant work
 * per change, also for those that arrive out of order, as from the partitions of a topic that is read at startup.
 */
import type { RecordedChange } from '../entities';

export interface ChangeBounds {
  /** Of all subjects together. */
  readonly newest: number;
  readonly perSubject: number;
  /** Of `newest`, and the same again of those per subject. Estimated. */
  readonly bytes: number;
}

/** A change without texts, with its part of a list and of a map. */
const CHANGE_BYTES = 250;

export class RecentChanges {
  private readonly newest: SortedChanges;
  /** The subject that changed last is the last. */
  private readonly subjects = new Map<string, SortedChanges>();
  private subjectBytes = 0;

  constructor(private readonly bounds: ChangeBounds) {
    this.newest = new SortedChanges(bounds.newest);
  }

  add(key: string, change: RecordedChange): void {
    const { bytes } = this.bounds;
    this.newest.add(change);
    while (this.newest.bytes > bytes && this.newest.dropOldest());
    const ofSubject = this.subjects.get(key) ?? new SortedChanges(this.bounds.perSubject);
    const before = ofSubject.bytes;
    ofSubject.add(change);
    this.subjectBytes += ofSubject.bytes - before;
    this.subjects.delete(key);
    this.subjects.set(key, ofSubject);
    for (const [oldest, changes] of this.subjects) {
      if (this.subjectBytes <= bytes) return;
      this.subjectBytes -= changes.bytes;
      this.subjects.delete(oldest);
    }
  }

  /** The newest first. */
  all(): readonly RecordedChange[] {
    return this.newest.list();
  }

  /** Those of the subject, the newest first. */
  of(key: string, isOfSubject: (change: RecordedChange) => boolean): readonly RecordedChange[] {
    const kept = new Set([...this.newest.list().filter(isOfSubject), ...(this.subjects.get(key)?.list() ?? [])]);
    return [...kept].sort((a, b) => timeOf(b) - timeOf(a));
  }
}

class SortedChanges {
  bytes = 0;
  /** The oldest first. */
  private readonly changes: RecordedChange[] = [];

  constructor(private readonly limit: number) {}

  add(change: RecordedChange): void {
    const time = timeOf(change);
    let at = this.changes.length;
    while (at > 0 && timeOf(this.changes[at - 1] as RecordedChange) > time) at--;
    if (at === 0 && this.changes.length >= this.limit) return;
    this.changes.splice(at, 0, change);
    this.bytes += bytesOf(change);
    if (this.changes.length > this.limit) this.dropOldest();
  }

  dropOldest(): boolean {
    const oldest = this.changes.shift();
    this.bytes -= oldest ? bytesOf(oldest) : 0;
    return oldest !== undefined;
  }

  list(): readonly RecordedChange[] {
    return [...this.changes].reverse();
  }
}

function timeOf({ at }: RecordedChange): number {
  return at ?? 0;
}

function bytesOf({ subject, cause, config, failure }: RecordedChange): number {
  const ofFailure = failure ? failure.trace.length + textsOf(failure.config ?? {}) : 0;
  const texts = subject.length + (cause.user?.length ?? 0) + (cause.detail?.length ?? 0) + ofFailure;
  return CHANGE_BYTES + 2 * (texts + (config ? textsOf(config.before) + textsOf(config.after) : 0));
}

function textsOf(config: Readonly<Record<string, string>>): number {
  return Object.entries(config).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
}
