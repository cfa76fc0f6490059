/** Committed offsets of all groups, and pending ones of open transactions. In memory, persisted in a log. */
import type { KeyValueLog } from '../storage/key-value-log';
import type { TopicPartition } from '../partitions';

export interface CommittedOffset {
  /** Offset of the next record to read. */
  readonly offset: number;
  /** -1 if unknown. */
  readonly leaderEpoch: number;
  readonly metadata: string;
  /** Milliseconds. */
  readonly committedAt: number;
}

export interface OffsetCommit extends TopicPartition {
  readonly value: CommittedOffset;
}

/** The state of a group that survives a restart; its members rejoin. */
export interface StoredGroup {
  readonly generation: number;
  readonly protocolType: string;
  /** Milliseconds; null if it had members. */
  readonly emptySince: number | null;
}

/** With the order of arrival, so that the end of a transaction does not overwrite a later non-transactional commit. */
interface StoredOffset extends OffsetCommit {
  readonly order: number;
}

const keyOf = ({ topic, partition }: TopicPartition): string => `${partition} ${topic}`;
type Key =
  | ['group', string]
  | ['offset', group: string, topic: string, partition: number]
  | ['pending', group: string, topic: string, partition: number, producerId: number];

export class OffsetStore {
  private readonly committed = new Map<string, Map<string, StoredOffset>>();
  /** Group → producer id → partition. */
  private readonly pending = new Map<string, Map<number, Map<string, StoredOffset>>>();
  private order = 0;

  private constructor(private readonly log: KeyValueLog) {}

  /** Returns the groups that have had members; others exist by their offsets alone, see `groupIds`. */
  static async open(log: KeyValueLog): Promise<{ store: OffsetStore; groups: Map<string, StoredGroup> }> {
    const store = new OffsetStore(log);
    const groups = new Map<string, StoredGroup>();
    for await (const [text, json] of log.load()) {
      const key = JSON.parse(text) as Key;
      const value: unknown = JSON.parse(json);
      if (key[0] === 'group') groups.set(key[1], value as StoredGroup);
      else {
        const [, groupId, topic, partition, producerId] = key;
        const stored = { topic, partition, value: value as CommittedOffset, order: store.order++ };
        const at = producerId === undefined ? store.committedOf(groupId) : store.pendingOf(groupId, producerId);
        at.set(keyOf(stored), stored);
      }
    }
    return { store, groups };
  }

  storeGroup(groupId: string, group: StoredGroup): Promise<void> {
    return this.append(['group', groupId], group);
  }

  groupIds(): string[] {
    return [...new Set([...this.committed.keys(), ...this.pending.keys()])];
  }

  get(groupId: string, at: TopicPartition): CommittedOffset | undefined {
    return this.committed.get(groupId)?.get(keyOf(at))?.value;
  }

  all(groupId: string): OffsetCommit[] {
    return [...(this.committed.get(groupId)?.values() ?? [])];
  }

  isEmpty(groupId: string): boolean {
    return !this.committed.has(groupId) && !this.pending.has(groupId);
  }

  /** Whether an open transaction may change the offset. */
  isPending(groupId: string, at: TopicPartition): boolean {
    return [...(this.pending.get(groupId)?.values() ?? [])].some((offsets) => offsets.has(keyOf(at)));
  }

  /** Groups and producers whose transactions have offsets that are neither committed nor discarded. */
  *pendingProducers(): Iterable<{ groupId: string; producerId: number }> {
    for (const [groupId, producers] of this.pending) {
      for (const producerId of producers.keys()) yield { groupId, producerId };
    }
  }

  async commit(groupId: string, commits: readonly OffsetCommit[]): Promise<void> {
    await Promise.all(commits.map((commit) => this.storeOffset(groupId, { ...commit, order: this.order++ })));
  }

  /** Takes effect when the transaction is committed. */
  async addPending(groupId: string, producerId: number, commits: readonly OffsetCommit[]): Promise<void> {
    // Added before they are written, so that an end of the transaction that is handled meanwhile includes them.
    const offsets = this.pendingOf(groupId, producerId);
    await Promise.all(
      commits.map((commit) => {
        const stored = { ...commit, order: this.order++ };
        offsets.set(keyOf(stored), stored);
        return this.append(['pending', groupId, stored.topic, stored.partition, producerId], stored.value);
      }),
    );
  }

  /** Idempotent, so that it can be repeated after a crash. */
  async endTransaction(groupId: string, producerId: number, committed: boolean): Promise<void> {
    const offsets = this.pending.get(groupId)?.get(producerId);
    if (offsets === undefined) return;
    await Promise.all(
      [...offsets.values()].map(async (stored) => {
        const { topic, partition } = stored;
        const newest = this.committed.get(groupId)?.get(keyOf(stored))?.order ?? -1;
        // The log has them in this order, so after a crash between the two the first is repeated.
        const put = committed && stored.order > newest ? this.storeOffset(groupId, stored) : Promise.resolve();
        await Promise.all([put, this.append(['pending', groupId, topic, partition, producerId], null)]);
      }),
    );
    this.removePending(groupId, producerId);
  }

  async delete(groupId: string, partitions: readonly TopicPartition[]): Promise<void> {
    await Promise.all(
      partitions.map(async (at) => {
        if (this.get(groupId, at) === undefined) return;
        await this.append(['offset', groupId, at.topic, at.partition], null);
        const offsets = this.committed.get(groupId);
        offsets?.delete(keyOf(at));
        if (offsets?.size === 0) this.committed.delete(groupId);
      }),
    );
  }

  async deleteGroup(groupId: string): Promise<void> {
    const producers = [...(this.pending.get(groupId)?.keys() ?? [])];
    await Promise.all([
      this.delete(groupId, this.all(groupId)),
      ...producers.map((producerId) => this.endTransaction(groupId, producerId, false)),
      this.append(['group', groupId], null),
    ]);
  }

  async deleteTopic(topic: string): Promise<void> {
    await Promise.all(
      [...this.committed.keys()].map((groupId) =>
        this.delete(
          groupId,
          this.all(groupId).filter((commit) => commit.topic === topic),
        ),
      ),
    );
  }

  private async storeOffset(groupId: string, stored: StoredOffset): Promise<void> {
    await this.append(['offset', groupId, stored.topic, stored.partition], stored.value);
    this.committedOf(groupId).set(keyOf(stored), stored);
  }

  private append(key: Key, value: object | null): Promise<void> {
    return this.log.append(JSON.stringify(key), value === null ? null : JSON.stringify(value));
  }

  private committedOf(groupId: string): Map<string, StoredOffset> {
    let offsets = this.committed.get(groupId);
    if (offsets === undefined) this.committed.set(groupId, (offsets = new Map()));
    return offsets;
  }

  private pendingOf(groupId: string, producerId: number): Map<string, StoredOffset> {
    let producers = this.pending.get(groupId);
    if (producers === undefined) this.pending.set(groupId, (producers = new Map()));
    let offsets = producers.get(producerId);
    if (offsets === undefined) producers.set(producerId, (offsets = new Map()));
    return offsets;
  }

  private removePending(groupId: string, producerId: number): void {
    const producers = this.pending.get(groupId);
    producers?.delete(producerId);
    if (producers?.size === 0) this.pending.delete(groupId);
  }
}
