/** The groups there are. Members live in memory; generation, protocol type and offsets survive a restart. */
import type { Clock } from '../clock';
import type { KeyValueLog } from '../storage/key-value-log';
import { Group, type GroupSettings } from './group';
import { OffsetStore, type KeptGroup } from './offset-store';
import { expiredOffsets } from './retention';

export class GroupRegistry {
  private readonly groups = new Map<string, Group>();

  private constructor(
    readonly offsets: OffsetStore,
    private readonly clock: Clock,
    private readonly settings: GroupSettings,
    private readonly log: (line: string) => void,
  ) {}

  /** All groups come back as `Empty`: whoever is still alive joins again. */
  static async open(
    kept: KeyValueLog,
    clock: Clock,
    settings: GroupSettings,
    log: (line: string) => void,
  ): Promise<GroupRegistry> {
    const { store, groups } = await OffsetStore.open(kept);
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
    group.die();
    this.groups.delete(group.id);
    await this.offsets.deleteGroup(group.id);
  }

  close(): void {
    for (const group of this.groups.values()) group.die();
  }

  /** Forgets offsets whose time is over, and groups of which nothing is left. */
  async expire(retentionMs: number): Promise<void> {
    for (const group of [...this.groups.values()]) {
      const all = this.offsets.all(group.id);
      const expired = expiredOffsets(group, all, retentionMs, this.clock.now());
      if (expired.length > 0) await this.offsets.delete(group.id, expired);
      const isForgotten = group.state === 'Empty' && group.isIdle && this.offsets.isEmpty(group.id);
      if (isForgotten) await this.delete(group);
    }
  }

  private create(id: string, kept: KeptGroup): Group {
    const settled = ({ generation, protocolType, emptySince }: Group): void => {
      // The generation only keeps the numbers from repeating, so nobody waits for this.
      this.offsets
        .keepGroup(id, { generation, protocolType, emptySince })
        .catch((error: unknown) => this.log(`Group '${id}' could not be kept: ${String(error)}`));
    };
    const emptySince = kept.emptySince ?? this.clock.now();
    const { generation, protocolType } = kept;
    const group = new Group(id, this.clock, this.settings, settled, generation, protocolType, emptySince);
    this.groups.set(id, group);
    return group;
  }
}
