/** The groups there are. Members live in memory; generation, protocol type and offsets survive a restart. */
import type { Clock } from '../clock';
import type { KeyValueLog } from '../key-value-log';
import { Group, type GroupSettings } from './group';
import { OffsetStore } from './offset-store';

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
    for (const [id, { generation, protocolType }] of groups) registry.create(id, generation, protocolType);
    for (const id of store.groupIds()) registry.ensure(id);
    return registry;
  }

  get(id: string): Group | undefined {
    return this.groups.get(id);
  }

  ensure(id: string): Group {
    return this.groups.get(id) ?? this.create(id, 0, '');
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

  private create(id: string, generation: number, protocolType: string): Group {
    const settled = (group: Group): void => {
      // The generation only keeps the numbers from repeating, so nobody waits for this.
      this.offsets
        .keepGroup(id, { generation: group.generation, protocolType: group.protocolType })
        .catch((error: unknown) => this.log(`Group '${id}' could not be kept: ${String(error)}`));
    };
    const group = new Group(id, this.clock, this.settings, settled, generation, protocolType);
    this.groups.set(id, group);
    return group;
  }
}
