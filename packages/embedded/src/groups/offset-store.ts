/** Committed offsets of all groups, and those of transactions that have not ended. In memory, behind a log. */
import type { KeyValueLog } from '../storage/key-value-log';
import type { TopicPartition } from '../partitions';

export interface CommittedOffset {
  /** Next to read. */
  readonly offset: number;
  /** -1: not known. */
  readonly leaderEpoch: number;
  readonly metadata: string;
  /** Milliseconds. */
  readonly committedAt: number;
}

export interface OffsetCommit extends TopicPartition {
  readonly value: CommittedOffset;
}

/** What a restart brings back of a group; its members join anew. */
export interface KeptGroup {
  readonly generation: number;
  readonly protocolType: string;
  /** Milliseconds; null: somebody was in it. */
  readonly emptySince: number | null;
}

/** Order of arrival, so that a transaction does not undo a plain commit that came after its own. */
interface Kept extends OffsetCommit {
  readonly order: number;
}

const keyOf = ({ topic, partition }: TopicPartition): string => `${partition} ${topic}`;
type Key =
  | ['group', string]
  | ['offset', group: string, topic: string, partition: number]
  | ['pending', group: string, topic: string, partition: number, producerId: number];

export class OffsetStore {
  private readonly committed = new Map<string, Map<string, Kept>>();
  /** Group → producer id → partition. */
  private readonly pending = new Map<string, Map<number, Map<string, Kept>>>();
  private order = 0;

  private constructor(private readonly log: KeyValueLog) {}

  /** The groups are those that somebody joined; others exist by their offsets alone, see `groupIds`. */
  static async open(log: KeyValueLog): Promise<{ store: OffsetStore; groups: Map<string, KeptGroup> }> {
    const store = new OffsetStore(log);
    const groups = new Map<string, KeptGroup>();
    for await (const [text, json] of log.load()) {
      const key = JSON.parse(text) as Key;
      const value: unknown = JSON.parse(json);
      if (key[0] === 'group') groups.set(key[1], value as KeptGroup);
      else {
        const [, groupId, topic, partition, producerId] = key;
        const kept = { topic, partition, value: value as CommittedOffset, order: store.order++ };
        const at = producerId === undefined ? store.committedOf(groupId) : store.pendingOf(groupId, producerId);
        at.set(keyOf(kept), kept);
      }
    }
    return { store, groups };
  }

  keepGroup(groupId: string, group: KeptGroup): Promise<void> {
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

  /** A transaction that has not ended may change it. */
  isPending(groupId: string, at: TopicPartition): boolean {
    return [...(this.pending.get(groupId)?.values() ?? [])].some((offsets) => offsets.has(keyOf(at)));
  }

  async commit(groupId: string, commits: readonly OffsetCommit[]): Promise<void> {
    await Promise.all(commits.map((commit) => this.put(groupId, { ...commit, order: this.order++ })));
  }

  /** Counts once the transaction is committed. */
  async commitLater(groupId: string, producerId: number, commits: readonly OffsetCommit[]): Promise<void> {
    // Seen at once, so that an end of the transaction that overtakes the disk finds them.
    const offsets = this.pendingOf(groupId, producerId);
    await Promise.all(
      commits.map((commit) => {
        const kept = { ...commit, order: this.order++ };
        offsets.set(keyOf(kept), kept);
        return this.append(['pending', groupId, kept.topic, kept.partition, producerId], kept.value);
      }),
    );
  }

  /** May be said again, after a crash in the middle. */
  async endTransaction(groupId: string, producerId: number, committed: boolean): Promise<void> {
    const offsets = this.pending.get(groupId)?.get(producerId);
    if (offsets === undefined) return;
    await Promise.all(
      [...offsets.values()].map(async (kept) => {
        const { topic, partition } = kept;
        const newest = this.committed.get(groupId)?.get(keyOf(kept))?.order ?? -1;
        // Both are in the log in this order before either is seen, so a crash between them repeats the first.
        const put = committed && kept.order > newest ? this.put(groupId, kept) : Promise.resolve();
        await Promise.all([put, this.append(['pending', groupId, topic, partition, producerId], null)]);
      }),
    );
    this.forgetPending(groupId, producerId);
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

  private async put(groupId: string, kept: Kept): Promise<void> {
    await this.append(['offset', groupId, kept.topic, kept.partition], kept.value);
    this.committedOf(groupId).set(keyOf(kept), kept);
  }

  private append(key: Key, value: object | null): Promise<void> {
    return this.log.append(JSON.stringify(key), value === null ? null : JSON.stringify(value));
  }

  private committedOf(groupId: string): Map<string, Kept> {
    let offsets = this.committed.get(groupId);
    if (offsets === undefined) this.committed.set(groupId, (offsets = new Map()));
    return offsets;
  }

  private pendingOf(groupId: string, producerId: number): Map<string, Kept> {
    let producers = this.pending.get(groupId);
    if (producers === undefined) this.pending.set(groupId, (producers = new Map()));
    let offsets = producers.get(producerId);
    if (offsets === undefined) producers.set(producerId, (offsets = new Map()));
    return offsets;
  }

  private forgetPending(groupId: string, producerId: number): void {
    const producers = this.pending.get(groupId);
    producers?.delete(producerId);
    if (producers?.size === 0) this.pending.delete(groupId);
  }
}
