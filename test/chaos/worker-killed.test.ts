/**
 * Two workers run one source and one file sink; one worker is killed while rows change. Every row's final state must be
 * in the file, in order per key; duplicates are limited to those of at-least-once delivery.
 */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { fileSinkConfig } from '../helpers/file-sink-config';
import { Clients } from '../helpers/kafka-clients';
import { seeded } from '../helpers/seeded';
import { TestDatabase } from '../helpers/test-database';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

const SNAPSHOT_ROWS = 1_000;
const CHANGES = 10_000;

/** The history of the database: per id its versions, and -1 for the deletion. */
type History = Map<number, number[]>;

/** One transaction of mixed changes; deterministic, so that a failure is reproducible. */
class Writer {
  private readonly random = seeded(42).below;
  private nextId = SNAPSHOT_ROWS;
  readonly live: number[] = Array.from({ length: SNAPSHOT_ROWS }, (_, id) => id);
  readonly history: History = new Map(this.live.map((id) => [id, [0]]));
  changes = 0;

  constructor(private readonly database: TestDatabase) {}

  /** One change of one row. */
  async touch(): Promise<void> {
    const id = this.live[0] as number;
    const versions = this.history.get(id) as number[];
    versions.push((versions[versions.length - 1] as number) + 1);
    await this.database.query(`UPDATE todos SET version = version + 1 WHERE id = ${id}`);
  }

  async transaction(size: number): Promise<void> {
    const statements: string[] = [];
    for (let i = 0; i < size; i++) {
      const dice = this.random(100);
      if (dice < 15) {
        const id = this.nextId++;
        this.live.push(id);
        this.history.set(id, [0]);
        statements.push(`INSERT INTO todos(id, version, title) VALUES (${id}, 0, 'todo ${id}')`);
      } else {
        const at = this.random(this.live.length);
        const id = this.live[at] as number;
        const versions = this.history.get(id) as number[];
        if (dice < 30) {
          this.live.splice(at, 1);
          versions.push(-1);
          statements.push(`DELETE FROM todos WHERE id = ${id}`);
        } else {
          versions.push((versions[versions.length - 1] as number) + 1);
          statements.push(`UPDATE todos SET version = version + 1 WHERE id = ${id}`);
        }
      }
    }
    this.changes += size;
    await this.database.query(`BEGIN; ${statements.join(';')}; COMMIT`);
  }
}

/** The sink's file, read incrementally: it is large, and reading all of it repeatedly would slow down its writer. */
class SinkFile {
  /** Per id the versions in order of their first appearance. */
  readonly history: History = new Map();
  lines = 0;
  torn = 0;
  private position = 0;

  constructor(private readonly path: string) {}

  /** Reads the lines completed since the last call. */
  async readOn(): Promise<void> {
    const file = await open(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return null;
    });
    if (file === null) return;
    try {
      const bytes = Buffer.alloc((await file.stat()).size - this.position);
      await file.read(bytes, 0, bytes.length, this.position);
      const end = bytes.lastIndexOf('\n') + 1;
      this.position += end;
      for (const line of bytes.toString('utf8', 0, end).split('\n').slice(0, -1)) this.take(line);
    } finally {
      await file.close();
    }
  }

  private take(line: string): void {
    this.lines++;
    if (line === 'null' || line === '') return;
    let payload: { op: string; before: { id: number } | null; after: { id: number; version: number } | null };
    try {
      payload = (JSON.parse(line) as { payload: typeof payload }).payload;
    } catch {
      // A kill may cut the line being written; its record is written again in full.
      this.torn++;
      return;
    }
    const id = payload.after?.id ?? (payload.before?.id as number);
    const version = payload.op === 'd' ? -1 : (payload.after?.version as number);
    const versions = this.history.get(id) ?? [];
    if (!versions.includes(version)) versions.push(version);
    this.history.set(id, versions);
  }
}

/**
 * The snapshot reads a row once, at its version at that time: earlier versions may be missing, later ones may not.
 * Null: that holds for every row. Otherwise the number of rows that violate it, and the first of them.
 */
function differences(expected: History, seen: History): string | null {
  const different = [...expected].filter(([id, versions]) => {
    const found = seen.get(id) ?? [];
    const from = versions.indexOf(found[0] ?? Number.NaN);
    return from < 0 || versions.slice(from).join() !== found.join();
  });
  const [first] = different;
  if (first === undefined) return null;
  const [id, versions] = first;
  const found = seen.get(id)?.join() ?? 'nothing';
  return `${different.length} of ${expected.size} rows, first ${id}: expected ${versions.join()}, the file has ${found}`;
}

describe.each(['source', 'sink'] as const)('a worker is killed while it runs the %s task', (victim) => {
  let database: TestDatabase;
  let folder: string;
  const workers: StartedWorker[] = [];
  const clients = new Clients();
  const group = uniqueName('chaos');
  // The sink's consumer group is named after it: another test's sink of the same name would be a member of it.
  const names = { source: uniqueName('source'), sink: uniqueName('sink') };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-chaos-'));
    database = await TestDatabase.create(`CREATE TABLE todos (id int PRIMARY KEY, version int NOT NULL, title text);
      INSERT INTO todos SELECT id, 0, 'todo ' || id FROM generate_series(0, ${SNAPSHOT_ROWS - 1}) AS id`);
  });

  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await clients.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  test('connect-runtime 109, cdc-postgres 65: no loss, order per key', async () => {
    const settings = {
      'scheduled.rebalance.max.delay.ms': '2000',
      'session.timeout.ms': '6000',
      'heartbeat.interval.ms': '1000',
      'offset.flush.interval.ms': '500',
    };
    for (let i = 0; i < 2; i++) {
      const worker = await startWorker({ group, settings });
      workers.push(worker);
      await worker.ready();
    }
    const [first, second] = workers as [StartedWorker, StartedWorker];
    const path = join(folder, 'sink.txt');
    const file = new SinkFile(path);
    const topic = `${database.name}.public.todos`;
    const consumer = { 'consumer.override.session.timeout.ms': '6000' };
    await first.register({ name: names.source, config: database.sourceConfig() });
    await second.register({
      name: names.sink,
      config: fileSinkConfig(topic, path, consumer),
    });
    await first.running(names.source);
    await first.running(names.sink);

    const writer = new Writer(database);
    // A task that restarts before an offset beyond the snapshot is stored repeats the snapshot, or emits
    // changes again: each row's versions would be there all the same, but not in the order checked here.
    const begin = await waitFor('the slot', async () => {
      const [slot] = await database.query(
        `SELECT pg_current_wal_lsn() AS now FROM pg_replication_slots WHERE slot_name = $1 AND confirmed_flush_lsn IS NOT NULL`,
        [database.slot],
      );
      return slot?.now;
    });
    const isStored = async (): Promise<boolean> => {
      const [slot] = await database.query(
        'SELECT confirmed_flush_lsn > $2::pg_lsn AS stored FROM pg_replication_slots WHERE slot_name = $1',
        [database.slot, begin],
      );
      return slot?.stored === true;
    };
    await writer.touch();
    await waitFor('an offset beyond the snapshot', isStored, { detail: () => first.process.log().slice(-3000) });
    // Both have work when the kill comes.
    while (writer.changes < CHANGES * 0.5) await writer.transaction(8);

    const owner = (await first.statusWhen(names[victim], (status) => status.tasks.length > 0)).tasks[0]?.worker_id;
    const killed = workers.find((worker) => worker.url.endsWith(String(owner))) as StartedWorker;
    const survivor = workers.find((worker) => worker !== killed) as StartedWorker;
    expect(killed).toBeDefined();
    await killed.crash();
    while (writer.changes < CHANGES) await writer.transaction(8);

    await survivor.statusWhen(
      names[victim],
      (status) =>
        status.tasks.length === 1 &&
        status.tasks[0]?.state === 'RUNNING' &&
        survivor.url.endsWith(status.tasks[0].worker_id),
    );
    let difference: string | null = 'nothing read yet';
    await waitFor(
      'the file to hold every row’s history',
      async () => {
        await file.readOn();
        difference = differences(writer.history, file.history);
        return difference === null;
      },
      { timeoutMs: 120_000, detail: () => `${difference}\n${survivor.process.log().slice(-6000)}` },
    ).catch(async (error: Error) => {
      // Which one is behind: the source, the sink, or neither?
      const [end] = await clients.admin.listOffsets([{ topic, partition: 0 }], 'latest');
      const [read] = await clients.admin.listGroupOffsets(`connect-${names.sink}`);
      error.message += `\n${file.lines} lines; the topic ends at ${end?.offset}, the sink has committed ${read?.offset}`;
      throw error;
    });
    expect(file.history.size).toBe(writer.history.size);
    expect(file.torn).toBeLessThanOrEqual(1);
  });
});
