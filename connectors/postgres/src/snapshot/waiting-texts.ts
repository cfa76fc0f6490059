/**
 * Texts of tables that have not begun. There may be thousands, removed one after another, and each offset has the rest:
 * they are in groups, so that a removed one costs little. Pure.
 */
const GROUP_SIZE = 128;

interface Group<Table> {
  readonly texts: Map<Table, string>;
  /** Null: to be joined. */
  joined: string | null;
}

export class WaitingTexts<Table> {
  private readonly groups = new Set<Group<Table>>();
  private readonly groupOf = new Map<Table, Group<Table>>();
  private last: Group<Table> | null = null;

  has(table: Table): boolean {
    return this.groupOf.has(table);
  }

  add(table: Table, text: string): void {
    if (this.last === null || this.last.texts.size >= GROUP_SIZE) {
      this.last = { texts: new Map(), joined: null };
      this.groups.add(this.last);
    }
    this.last.texts.set(table, text);
    this.last.joined = null;
    this.groupOf.set(table, this.last);
  }

  delete(table: Table): void {
    const group = this.groupOf.get(table);
    if (group === undefined) return;
    this.groupOf.delete(table);
    group.texts.delete(table);
    group.joined = null;
  }

  /** All of them, in the order in which they were added. */
  get text(): string {
    let all = '';
    for (const group of this.groups) {
      if (group.texts.size === 0 && group !== this.last) this.groups.delete(group);
      group.joined ??= [...group.texts.values()].join('');
      // Copies nothing: the engine joins the parts when the offset is written.
      all += group.joined;
    }
    return all;
  }
}
