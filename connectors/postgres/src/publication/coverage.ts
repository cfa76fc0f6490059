/** Under which name the changes of each table arrive, if at all (cdc-postgres §5.3). Pure. */
import { qualified, type PublishableTable, type TableName } from '../database/catalog';
import type { PublicationState } from './state';

interface PublicationGaps<Table> {
  /** The publication does not contain them, or they are UNLOGGED. */
  readonly absent: readonly Table[];
  /** Their changes arrive under a name that is not captured. */
  readonly renamed: readonly RenamedTable<Table>[];
}

export interface RenamedTable<Table> {
  readonly table: Table;
  /** The partitioned table whose name they have; null: those of its partitions. */
  readonly as: TableName | null;
}

export class PublicationCoverage {
  private readonly members: ReadonlyMap<number, string>;
  private readonly partitions = new Map<number, number[]>();

  constructor(private readonly state: PublicationState) {
    this.members = new Map(state.members.map(({ oid, id }) => [oid, id]));
    for (const [partition, { oid }] of state.parents) {
      const siblings = this.partitions.get(oid);
      if (siblings) siblings.push(partition);
      else this.partitions.set(oid, [partition]);
    }
  }

  gaps<Table extends PublishableTable>(captured: readonly Table[]): PublicationGaps<Table> {
    const oids = new Set(captured.map(({ oid }) => oid));
    const absent: Table[] = [];
    const renamed: RenamedTable<Table>[] = [];
    for (const table of captured) {
      const as = this.publishedAs(table);
      const leaves = table.partitionedRoot ? this.leaves(table.oid) : [];
      const isRead = leaves.some((leaf) => oids.has(leaf));
      if (as !== null && (this.state.viaRoot || !table.partitionedRoot)) {
        if (as.oid !== table.oid && !oids.has(as.oid)) renamed.push({ table, as });
      } else if (as !== null) {
        if (leaves.length > 0 && !isRead) renamed.push({ table, as: null });
      } else if (leaves.length > 0 && leaves.every((leaf) => this.members.has(leaf))) {
        if (!isRead) renamed.push({ table, as: null });
      } else if (!isRead) absent.push(table);
    }
    return { absent, renamed };
  }

  /** Changes of all its rows arrive under its own name, unless a row filter or a column list of it restricts them. */
  isPublishedWhole(table: PublishableTable): boolean {
    if (table.partitionedRoot && !this.state.viaRoot) return false;
    return this.publishedAs(table)?.oid === table.oid;
  }

  /** Changes when the table has left the publication, or another one has its name; null: not published. */
  membership(table: PublishableTable): string | null {
    if (table.unlogged) return null;
    if (this.state.allTables) return 'all';
    const ids = this.chain(table).flatMap(({ oid, schema }) =>
      [this.members.get(oid), this.state.schemas.get(schema)].filter((id) => id !== undefined),
    );
    return ids.length === 0 ? null : ids.join();
  }

  /** Oids of the table and of the partitioned tables above it. */
  withParents(table: { readonly oid: number }): number[] {
    const { parents } = this.state;
    const oids: number[] = [];
    for (let at: number | undefined = table.oid; at !== undefined; at = parents.get(at)?.oid) oids.push(at);
    return oids;
  }

  private publishedAs(table: PublishableTable): (TableName & { readonly oid: number }) | null {
    const { allTables, viaRoot, schemas } = this.state;
    if (table.unlogged) return null;
    const chain = this.chain(table);
    const published = chain.filter(({ oid, schema }) => allTables || this.members.has(oid) || schemas.has(schema));
    return (viaRoot ? published[published.length - 1] : published.length > 0 ? table : null) ?? null;
  }

  /** The table, then the partitioned tables above it. */
  private chain(table: PublishableTable): (TableName & { readonly oid: number })[] {
    const { parents } = this.state;
    return [table, ...this.withParents(table).flatMap((oid) => parents.get(oid) ?? [])];
  }

  /** Partitions at any depth that have none themselves. */
  private leaves(oid: number): number[] {
    const own = this.partitions.get(oid) ?? [];
    return own.flatMap((partition) => (this.partitions.has(partition) ? this.leaves(partition) : [partition]));
  }
}

/** For log lines: `schema.table (under the name of schema.root)`. */
export function renamedText({ table, as }: RenamedTable<TableName>): string {
  return `${qualified(table)} (under ${as === null ? 'the names of its partitions' : `the name ${qualified(as)}`})`;
}
