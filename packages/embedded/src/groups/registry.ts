/** All groups. Generation, protocol type and offsets survive a restart; members are in memory only. */
import type { Clock } from '../clock';
import type { KeyValueLog } from '../storage/key-value-log';
import { Group, type GroupSettings } from './group';
import { OffsetStore, type StoredGroup } from './offset-store';
import { expiredOffsets } from './retention';

export class GroupRegistry {
  private readonly groups = new Map<string, Group>();

  private constructor(
    readonly offsets: OffsetStore,
    private readonly clock: Clock,
    private readonly settings: GroupSettings,
    private readonly log: (line: string) => void,
  ) {}

  /** Restores all groups as `Empty`: running members rejoin. */
  static async open(
    stateLog: KeyValueLog,
    clock: Clock,
    settings: GroupSettings,
    log: (line: string) => void,
  ): Promise<GroupRegistry> {
    const { store, groups } = await OffsetStore.open(stateLog);
    const registry = new GroupRegistry(store, clock, settings, log);
    for (const [id, group] of groups) registry.create(id, group);
    for (const id of store.groupIds()) registry.ensure(id);
    return registry;
  }

  get(id: string): Group | undefined {
    return this.groups.get(id);
  }

  ensure(id: string): Group {
    return this.groups.get(id) ?? this.create(id, { generation: 0, protocolType: '', emptySince: null });
  }

  all(): Iterable<Group> {
    return this.groups.values();
  }

  async delete(group: Group): Promise<void> {
    group.close();
    this.groups.delete(group.id);
    try {
      await this.offsets.deleteGroup(group.id);
    } catch (error) {
      // A full disk: the group exists as long as its offsets do, so that it can be deleted later.
      if (!this.groups.has(group.id)) this.create(group.id, group);
      throw error;
    }
  }

  close(): void {
    for (const group of this.groups.values()) group.close();
  }

  /** Deletes expired offsets, and groups without members and offsets. */
  async expire(retentionMs: number): Promise<void> {
    for (const group of [...this.groups.values()]) {
      const all = this.offsets.all(group.id);
      const expired = expiredOffsets(group, all, retentionMs, this.clock.now());
      if (expired.length > 0) await this.offsets.delete(group.id, expired);
      const isUnused = group.state === 'Empty' && group.isIdle && this.offsets.isEmpty(group.id);
      if (isUnused) await this.delete(group);
    }
  }

  private create(id: string, stored: StoredGroup): Group {
    const storeState = ({ generation, protocolType, emptySince }: Group): void => {
      // Stored only so that generations do not repeat after a restart, hence not awaited.
      this.offsets
        .storeGroup(id, { generation, protocolType, emptySince })
        .catch((error: unknown) => this.log(`Cannot store group '${id}': ${String(error)}`));
    };
    const emptySince = stored.emptySince ?? this.clock.now();
    const { generation, protocolType } = stored;
    const group = new Group(id, this.clock, this.settings, storeState, generation, protocolType, emptySince);
    this.groups.set(id, group);
    return group;
  }
}
