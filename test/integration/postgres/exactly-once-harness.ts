/** A task that is killed between polls, and writers that know what must be streamed of their transactions. */
import type { SourceOffset } from '@millrace/sdk';
import type { Client } from 'pg';
import type { TestDatabase } from '../../helpers/test-database';
import { TaskRun, type AnyRecord } from './harness';

export const ROWS = 5000;
/** Of rows inserted after the snapshot. */
const FIRST_NEW = 1_000_000;
export const DONE = 2_100_000_000;

/** Few rows in a block, so that a table has several chunks. */
export const TABLES = `
  CREATE TABLE plain (id int PRIMARY KEY, v int) WITH (fillfactor = 10);
  CREATE TABLE keyless (id int, v int) WITH (fillfactor = 10);
  ALTER TABLE keyless REPLICA IDENTITY FULL;
  CREATE TABLE parted (id int PRIMARY KEY, v int) PARTITION BY HASH (id);
  CREATE TABLE p0 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 0) WITH (fillfactor = 10);
  CREATE TABLE p1 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 1) WITH (fillfactor = 10);
  CREATE TABLE p2 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 2) WITH (fillfactor = 10);`;
export const NAMES = ['plain', 'keyless', 'parted'];

/** "table op id version" */
export function shown({ topic, value }: AnyRecord): string {
  const row = value.after ?? value.before;
  return `${topic.split('.').pop()} ${value.op} ${row.id}${value.op === 'd' ? '' : ` ${row.v}`}`;
}

/** Changes rows, and tells what must be streamed of it. */
export class Writer {
  private version = 0;
  private next: number;
  private readonly alive: Map<string, number[]>;

  /** @param remainder of the ids that it changes, divided by two */
  constructor(
    private readonly client: Client,
    private readonly random: (below: number) => number,
    remainder: number,
    /** Also statements that insert many rows, whose transaction may be streamed before it ends. */
    private readonly bulk = false,
    private readonly names = NAMES,
  ) {
    const ids = Array.from({ length: ROWS / 2 }, (_, i) => 2 * i + remainder);
    this.alive = new Map(NAMES.map((name) => [name, [...ids]]));
    this.next = FIRST_NEW * (1 + remainder);
  }

  async begin(): Promise<void> {
    await this.client.query('BEGIN');
  }

  async commit(): Promise<void> {
    await this.client.query('COMMIT');
  }

  /** Some statements of one transaction, with savepoints. Its rows are of no other writer. */
  async statements(): Promise<string[]> {
    const changes: string[] = [];
    for (let i = this.random(4) + 1; i > 0; i--) {
      const undone = this.random(4) === 0;
      await this.client.query('SAVEPOINT s');
      const done = await this.statement(undone);
      await this.client.query(undone ? 'ROLLBACK TO SAVEPOINT s' : 'RELEASE SAVEPOINT s');
      if (!undone) changes.push(...done);
    }
    return changes;
  }

  private async statement(undone: boolean): Promise<string[]> {
    const name = this.names[this.random(this.names.length)] as string;
    const rows = this.alive.get(name) as number[];
    const at = this.random(rows.length);
    const id = rows[at] as number;
    const v = ++this.version;
    switch (this.random(this.bulk ? 7 : 5)) {
      case 5:
      case 6: {
        // COPY writes many rows in one WAL record.
        // COPY into partitions changes the order of the rows.
        const [from, copies] = [this.next, this.random(2) === 0 && name !== 'parted'];
        const to = (this.next += 1 + this.random(800)) - 1;
        await this.client.query(
          copies
            ? `COPY ${name} FROM PROGRAM 'seq -f "%.0f,${v}" ${from} ${to}' CSV`
            : `INSERT INTO ${name} SELECT i, ${v} FROM generate_series(${from}, ${to}) i`,
        );
        const added = Array.from({ length: to - from + 1 }, (_, i) => from + i);
        if (!undone) rows.push(...added);
        return added.map((id) => `${name} c ${id} ${v}`);
      }
      case 0: {
        const added = this.next++;
        await this.client.query(`INSERT INTO ${name} VALUES (${added}, ${v})`);
        if (!undone) rows.push(added);
        return [`${name} c ${added} ${v}`];
      }
      case 1:
        await this.client.query(`DELETE FROM ${name} WHERE id = ${id}`);
        if (!undone) rows.splice(at, 1);
        return [`${name} d ${id}`];
      case 2: {
        const moved = this.next++;
        await this.client.query(`UPDATE ${name} SET id = ${moved}, v = ${v} WHERE id = ${id}`);
        if (!undone) rows.splice(at, 1, moved);
        // An update of a partition key may be a delete and an insert in any case.
        return name === 'keyless' ? [`${name} u ${moved} ${v}`] : [`${name} d ${id}`, `${name} c ${moved} ${v}`];
      }
      default:
        await this.client.query(`UPDATE ${name} SET v = ${v} WHERE id = ${id}`);
        return [`${name} u ${id} ${v}`];
    }
  }
}

export class Delivered {
  readonly records: AnyRecord[] = [];
  stored: SourceOffset | null = null;
  kills = 0;
  private run: TaskRun | null = null;
  /** Without a record. */
  private storedByTask: SourceOffset | null = null;

  constructor(
    private readonly database: TestDatabase,
    private readonly config: Record<string, string>,
  ) {}

  async start(): Promise<TaskRun> {
    this.storedByTask = null;
    this.run = await TaskRun.start(this.config, this.stored, new AbortController(), true);
    return this.run;
  }

  /** One transaction. */
  async poll(): Promise<AnyRecord[]> {
    const current = this.run as TaskRun;
    const before = this.storedByTask;
    const batch = await current.poll();
    this.storedByTask = current.stored;
    const last = batch[batch.length - 1]?.sourceOffset ?? (current.stored === before ? null : current.stored);
    if (last !== null) this.stored = last;
    this.records.push(...batch);
    return batch;
  }

  /** @param meanwhile statements before the next start */
  async kill(meanwhile = ''): Promise<void> {
    this.kills++;
    await this.stop();
    await this.database.query(meanwhile);
    await this.start();
  }

  async stop(): Promise<void> {
    const { run } = this;
    this.run = null;
    await run?.stop();
  }

  get snapshotCompleted(): boolean {
    return this.stored?.snapshot_completed === true || this.stored?.lsn_commit !== undefined;
  }
}

export async function expectExact(
  database: TestDatabase,
  records: readonly AnyRecord[],
  committed: readonly string[],
  names = NAMES,
): Promise<void> {
  const reads = records.filter(({ value }) => value.op === 'r').map(shown);
  const streamed = records.filter(({ value }) => value.op !== 'r').map(shown);
  expect(streamed).toEqual(committed);
  expect(reads.length).toBe(new Set(reads).size);
  expect(reads.length).toBeGreaterThan(ROWS * names.length * 0.8);
  // What was read is of the time before the first change.
  expect(reads.filter((read) => !/ r \d{1,4} 0$/.test(read))).toEqual([]);
  const state = new Map<string, number>();
  for (const record of records) {
    const { value } = record;
    const name = record.topic.split('.').pop() as string;
    if (value.before?.id !== undefined) state.delete(`${name} ${value.before.id}`);
    if (value.after !== null) state.set(`${name} ${value.after.id}`, value.after.v);
  }
  const rows = await database.query(
    names.map((name) => `SELECT '${name} ' || id AS row, v FROM ${name} WHERE id <> ${DONE}`).join(' UNION ALL '),
  );
  expect([...state].sort()).toEqual(rows.map(({ row, v }) => [row, v]).sort());
}
