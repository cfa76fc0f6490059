/**
 * Exactly-once delivery of a snapshot that is killed between any two polls: each poll is a transaction with the offset
 * of its last record, so a killed task is one whose successor starts at that offset.
 */
import type { SourceOffset } from '@millrace/sdk';
import type { Client } from 'pg';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

const ROWS = 5000;
/** Of rows inserted after the snapshot. */
const FIRST_NEW = 1_000_000;
const DONE = 2_100_000_000;
const small = {
  'max.batch.size': '400',
  'max.queue.size': '500',
  'snapshot.fetch.size': '300',
  'publish.via.partition.root': 'true',
  'publication.autocreate.mode': 'filtered',
  'tombstones.on.delete': 'false',
};

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create();
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Few rows in a block, so that a table has several chunks. */
const TABLES = `
  CREATE TABLE plain (id int PRIMARY KEY, v int) WITH (fillfactor = 10);
  CREATE TABLE keyless (id int, v int) WITH (fillfactor = 10);
  ALTER TABLE keyless REPLICA IDENTITY FULL;
  CREATE TABLE parted (id int PRIMARY KEY, v int) PARTITION BY HASH (id);
  CREATE TABLE p0 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 0) WITH (fillfactor = 10);
  CREATE TABLE p1 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 1) WITH (fillfactor = 10);
  CREATE TABLE p2 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 2) WITH (fillfactor = 10);`;
const NAMES = ['plain', 'keyless', 'parted'];

/** "table op id version" */
function shown({ topic, value }: AnyRecord): string {
  const row = value.after ?? value.before;
  return `${topic.split('.').pop()} ${value.op} ${row.id}${value.op === 'd' ? '' : ` ${row.v}`}`;
}

/** Changes rows, and tells what must be streamed of it. */
class Writer {
  private version = 0;
  private next: number;
  private readonly alive: Map<string, number[]>;

  /** @param remainder of the ids that it changes, divided by two */
  constructor(
    private readonly client: Client,
    private readonly random: (below: number) => number,
    remainder: number,
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
    const name = NAMES[this.random(NAMES.length)] as string;
    const rows = this.alive.get(name) as number[];
    const at = this.random(rows.length);
    const id = rows[at] as number;
    const v = ++this.version;
    switch (this.random(5)) {
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

class Delivered {
  readonly records: AnyRecord[] = [];
  stored: SourceOffset | null = null;
  kills = 0;

  constructor(private readonly config: Record<string, string>) {}

  async start(): Promise<TaskRun> {
    run = await TaskRun.start(this.config, this.stored, new AbortController(), true);
    return run;
  }

  /** One transaction. */
  async poll(): Promise<AnyRecord[]> {
    const current = run as TaskRun;
    const batch = await current.poll();
    const last = batch[batch.length - 1]?.sourceOffset ?? current.stored;
    if (last !== null) this.stored = last;
    this.records.push(...batch);
    return batch;
  }

  async kill(): Promise<void> {
    this.kills++;
    await run?.stop();
    await this.start();
  }

  get snapshotCompleted(): boolean {
    return this.stored?.snapshot_completed === true || this.stored?.lsn_commit !== undefined;
  }
}

async function expectExact(records: readonly AnyRecord[], committed: readonly string[]): Promise<void> {
  const reads = records.filter(({ value }) => value.op === 'r').map(shown);
  const streamed = records.filter(({ value }) => value.op !== 'r').map(shown);
  expect(streamed).toEqual(committed);
  expect(reads.length).toBe(new Set(reads).size);
  expect(reads.length).toBeGreaterThan(ROWS * NAMES.length * 0.8);
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
    NAMES.map((name) => `SELECT '${name} ' || id AS row, v FROM ${name} WHERE id <> ${DONE}`).join(' UNION ALL '),
  );
  expect([...state].sort()).toEqual(rows.map(({ row, v }) => [row, v]).sort());
}

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [4, 3],
])(
  'connect-runtime 84: a snapshot killed between polls (seed %i, %i connections): each row is read once, each change streamed once',
  async (seed, threads) => {
    await database.query(TABLES);
    for (const name of NAMES)
      await database.query(`INSERT INTO ${name} SELECT i, 0 FROM generate_series(0, ${ROWS - 1}) i`);
    const random = randomFrom(seed);
    const clients = [await database.connect(), await database.connect()] as const;
    const delivered = new Delivered(
      taskConfig(database, {
        ...small,
        'table.include.list': NAMES.map((name) => `public.${name}`).join(','),
        'snapshot.max.threads': String(threads),
      }),
    );
    await delivered.start();
    const committed: string[] = [];
    const short = new Writer(clients[0], random, 0);
    // Its transactions last for several polls and attempts.
    const long = new Writer(clients[1], random, 1);
    let open: string[] | null = null;
    while (!delivered.snapshotCompleted) {
      await delivered.poll();
      for (let i = random(4); i > 0; i--) {
        await short.begin();
        const changes = await short.statements();
        await short.commit();
        committed.push(...changes);
      }
      if (open === null) {
        open = [];
        await long.begin();
      }
      open.push(...(await long.statements()));
      if (random(4) === 0) {
        await long.commit();
        committed.push(...open);
        open = null;
      }
      if (random(3) === 0) await delivered.kill();
    }
    if (open !== null) await long.commit();
    committed.push(...(open ?? []));
    expect(delivered.kills).toBeGreaterThan(5);
    await database.query(`INSERT INTO plain VALUES (${DONE}, 0)`);
    const isDone = async (): Promise<boolean> => {
      const batch = await delivered.poll();
      if (random(10) === 0) await delivered.kill();
      return batch.some(({ value }) => value.after?.id === DONE);
    };
    await waitFor('the last change', isDone, { everyMs: 0, detail: () => String(delivered.records.length) });
    for (const client of clients) await client.end();
    await expectExact(
      delivered.records.filter(({ value }) => value.after?.id !== DONE),
      committed,
    );
  },
  60_000,
);
