/**
 * Rows whose every change has a version, so that a reader of the topics can say which change is missing or out of
 * order. Each row starts at version 0; an update raises it by 1; a deleted row never returns.
 */
import type { Client } from 'pg';

/** Version of a deleted row: later than every other. */
export const GONE = Number.MAX_SAFE_INTEGER;

/** A table of versioned rows. */
export interface VersionedTable {
  readonly name: string;
  /** Columns of its primary key, as SQL expressions of the number `id`. */
  readonly create: string;
  readonly insert: (from: string, to: string) => string;
}

export const TABLES: readonly VersionedTable[] = [
  {
    name: 'plain',
    create: 'CREATE TABLE plain (id bigint PRIMARY KEY, v bigint NOT NULL, note text NOT NULL)',
    insert: (from, to) =>
      `INSERT INTO plain SELECT i, 0, rpad(i::text, 100, 'x') FROM generate_series(${from}, ${to}) i`,
  },
  {
    name: 'composite',
    create:
      'CREATE TABLE composite (part text, id bigint, v bigint NOT NULL, note text NOT NULL, PRIMARY KEY (part, id))',
    insert: (from, to) =>
      `INSERT INTO composite SELECT 'p' || i % 7, i, 0, rpad(i::text, 100, 'x') FROM generate_series(${from}, ${to}) i`,
  },
];

/** Changes rows of all tables until it is stopped, at most `perSecond` statements a second. */
export class VersionedWriter {
  /** "table id version" of every committed change. */
  readonly changes: string[] = [];
  private readonly versions = new Map<string, number>();
  private running: Promise<void> | null = null;
  private stopping = false;

  /** @param next first id that no row has yet */
  constructor(
    private readonly client: Client,
    public next: number,
    private readonly random: () => number,
    private readonly perSecond: number,
  ) {}

  start(): void {
    this.stopping = false;
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      const began = performance.now();
      for (const { name } of TABLES) await this.change(name);
      const left = (1000 * TABLES.length) / this.perSecond - (performance.now() - began);
      if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    }
  }

  /** One transaction: three updates, one delete and one insert. */
  private async change(table: string): Promise<void> {
    const pick = (): number => Math.floor(this.random() * this.next);
    const gone = pick();
    const updated = [pick(), pick(), pick()].filter((id, i, all) => id !== gone && all.indexOf(id) === i);
    const created = this.next++;
    const insert = TABLES.find(({ name }) => name === table)?.insert(String(created), String(created)) ?? '';
    const { rows } = await this.client.query<{ id: string; v: string }>(
      `WITH u AS (UPDATE ${table} SET v = v + 1 WHERE id = ANY($1) RETURNING id, v),
            d AS (DELETE FROM ${table} WHERE id = $2 RETURNING id, ${GONE}::bigint AS v),
            i AS (${insert} RETURNING id, v)
       SELECT * FROM u UNION ALL SELECT * FROM d UNION ALL SELECT * FROM i`,
      [updated, gone],
    );
    for (const { id, v } of rows) {
      this.versions.set(`${table} ${id}`, Number(v));
      this.changes.push(`${table} ${id} ${v}`);
    }
  }
}
