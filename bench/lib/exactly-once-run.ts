/**
 * Kills, freezes and fences the workers of an exactly-once PostgreSQL source at random moments of its snapshot and of
 * its stream, restarts the broker, and compares what a read_committed consumer has seen with every committed change.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { RunningKafka } from '../../dev/services/kafka';
import { postgresSource } from '../../dev/services/postgres-source';
import { waitFor } from '../../dev/services/wait-for';
import type { StartedWorker } from '../../dev/services/worker';
import { createAdmin } from '../../src/kafka/admin/admin';
import { createWire } from '../../src/kafka/network/network-client';
import { seeded } from '../../test/helpers/seeded';
import { HistoryFollower, type Faults } from './exact-history';
import { freezeBeside, startKillable } from './killable-worker';
import { TABLES, VersionedWriter } from './versioned-rows';

export interface KillPlan {
  /** Of a database without tables. */
  readonly databaseUrl: string;
  readonly broker: RunningKafka;
  /** Unused so far: topic prefix, group and slot. */
  readonly name: string;
  readonly rows: number;
  readonly snapshotKills: number;
  readonly streamKills: number;
  readonly workers: number;
  /** Every so many kills, counted from 1; 0: never. */
  readonly freezeEvery: number;
  readonly brokerEvery: number;
  readonly seed: number;
  /** Of the connector, over the defaults. */
  readonly connector?: Readonly<Record<string, string>>;
  readonly log?: (line: string) => void;
}

export interface KillResult {
  readonly faults: Faults;
  /** Kills before the end of the snapshot. */
  readonly duringSnapshot: number;
  readonly kills: number;
  readonly committed: number;
  readonly reads: number;
  readonly changes: number;
}

const DONE = Number.MAX_SAFE_INTEGER - 1;

export async function killWhileDelivering(plan: KillPlan): Promise<KillResult> {
  const run = new Run(plan);
  try {
    return await run.all();
  } finally {
    await run.close();
  }
}

class Run {
  private readonly random: () => number;
  private readonly database: Client;
  private readonly writing: Client;
  private follower: HistoryFollower | null = null;
  private workers: StartedWorker[] = [];
  private kills = 0;

  constructor(private readonly plan: KillPlan) {
    this.random = seeded(plan.seed).next;
    this.database = new Client({ connectionString: plan.databaseUrl });
    this.writing = new Client({ connectionString: plan.databaseUrl });
  }

  async all(): Promise<KillResult> {
    const { rows, name, snapshotKills, streamKills, workers } = this.plan;
    const { database, writing, random } = this;
    await database.connect();
    await writing.connect();
    for (const { create, insert } of TABLES) {
      await database.query(create);
      await database.query(insert('0', String(rows - 1)));
    }
    await database.query('ANALYZE');
    const { history } = await this.follow();
    this.workers = await Promise.all(Array.from({ length: workers }, () => this.start()));
    await (this.workers[0] as StartedWorker).register({ name, config: this.config() });
    const total = rows * TABLES.length;
    const writer = new VersionedWriter(writing, rows, random, 200);
    // From here on, every change is later than the snapshot.
    await this.reached(() => history.reads > 0, 'the first rows');
    writer.start();
    let duringSnapshot = 0;
    for (let i = 0; i < snapshotKills; i++) {
      const next = history.reads + (random() * 1.6 * total) / (snapshotKills + 1);
      await this.reached(() => history.reads >= next || history.changes > 0, 'more rows');
      if (history.changes === 0) duringSnapshot++;
      await this.kill();
    }
    await this.reached(() => history.changes > 0, 'the stream');
    for (let i = 0; i < streamKills; i++) {
      await sleep(random() * 2000);
      await this.kill();
    }
    await writer.stop();
    await database.query(`INSERT INTO plain VALUES (${DONE}, 0, 'the end')`);
    await this.reached(() => history.last.has(`plain ${DONE}`), 'the last change', 300_000);
    await this.follower?.toEnd();
    const committed = [...writer.changes, `plain ${DONE} 0`];
    const { reads, changes } = history;
    const faults = history.faults(committed, await this.versions());
    return { faults, duringSnapshot, kills: this.kills, committed: committed.length, reads, changes };
  }

  async close(): Promise<void> {
    for (const worker of this.workers) await worker.stop();
    await this.follower?.close();
    await this.writing.end();
    await this.database.end();
  }

  private async follow(): Promise<HistoryFollower> {
    const { broker, name } = this.plan;
    const tables = TABLES.map((table) => table.name);
    const config = { 'bootstrap.servers': broker.bootstrapServers };
    const admin = createAdmin(createWire(config), { timeoutMs: 120_000, retryBackoffMs: 50, retryBackoffMaxMs: 500 });
    const topics = tables.map((table) => ({ name: `${name}.public.${table}`, partitions: 3 }));
    await admin.createTopics(topics.map((topic) => ({ ...topic, replicationFactor: 1, configs: {} })));
    await admin.close();
    this.follower = new HistoryFollower(broker.bootstrapServers, name, tables, 3);
    return this.follower;
  }

  private config(): Record<string, string> {
    const { databaseUrl, name, connector } = this.plan;
    return postgresSource(databaseUrl, {
      'topic.prefix': name,
      'slot.name': name.replaceAll('-', '_'),
      'publication.name': `pub_${name.replaceAll('-', '_')}`,
      'publication.autocreate.mode': 'filtered',
      'table.include.list': TABLES.map((table) => `public.${table.name}`).join(','),
      'snapshot.max.threads': '2',
      'max.batch.size': '500',
      'slot.max.retries': '600',
      'slot.retry.delay.ms': '100',
      'exactly.once.support': 'required',
      ...connector,
    });
  }

  private async start(): Promise<StartedWorker> {
    const { broker, name } = this.plan;
    return await startKillable(broker.bootstrapServers, name, { 'exactly.once.source.support': 'enabled' });
  }

  /** Ends the worker that runs the task, sometimes after a pause that is longer than its session. */
  private async kill(): Promise<void> {
    const { plan, random } = this;
    const count = ++this.kills;
    if (plan.brokerEvery > 0 && count % plan.brokerEvery === 0) {
      plan.log?.(`${count}: broker`);
      await plan.broker.crash();
      await sleep(random() * 1000);
      await plan.broker.restart();
      return;
    }
    const at = await this.owner();
    const worker = this.workers[at] as StartedWorker;
    const isFrozen = plan.freezeEvery > 0 && count % plan.freezeEvery === 0;
    plan.log?.(`${count}: ${isFrozen ? 'SIGSTOP' : 'SIGKILL'}, ${this.follower?.history.reads} rows read`);
    if (isFrozen) {
      this.workers[at] = await freezeBeside(worker, () => this.start(), random() * 1000);
    } else {
      await worker.crash();
      this.workers[at] = await this.start();
    }
  }

  /** Number of the worker that runs the task; otherwise any. */
  private async owner(): Promise<number> {
    const [first] = this.workers;
    const status = await first?.status(this.plan.name).catch(() => null);
    const id = status?.tasks[0]?.worker_id ?? '';
    return Math.max(
      0,
      this.workers.findIndex(({ url }) => url.endsWith(`/${id}`) || url.endsWith(id.split(':').pop() ?? '')),
    );
  }

  private async reached(test: () => boolean, what: string, timeoutMs = 120_000): Promise<void> {
    const logs = (): string => this.workers.map(({ process }) => process.log().slice(-4000)).join('\n===\n');
    await waitFor(what, async () => test(), { timeoutMs, everyMs: 10, detail: logs });
  }

  private async versions(): Promise<Map<string, number>> {
    const versions = new Map<string, number>();
    for (const { name } of TABLES) {
      const { rows } = await this.database.query(`SELECT id::float8, v::float8 FROM ${name}`);
      for (const { id, v } of rows as { id: number; v: number }[]) versions.set(`${name} ${id}`, v);
    }
    return versions;
  }
}
