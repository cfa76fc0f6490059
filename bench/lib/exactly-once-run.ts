/**
 * Kills, freezes and fences the workers of an exactly-once PostgreSQL source at random moments of its snapshot and of
 * its stream, restarts brokers, and compares what a read_committed consumer has seen with every committed change.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { postgresSource } from '../../dev/services/postgres-source';
import { waitFor } from '../../dev/services/wait-for';
import { createAdmin } from '../../packages/kafka-client/src/admin/admin';
import { createWire } from '../../packages/kafka-client/src/network/network-client';
import { seeded } from '../../test/helpers/seeded';
import { HistoryFollower, type ExactHistory, type Faults } from './exact-history';
import { keepEvidence } from './fault-evidence';
import { KilledWorkers, type KilledGroup } from './killed-workers';
import { TABLES, VersionedWriter } from './versioned-rows';

/** The name of the group is unused so far: topic prefix, group and slot. */
export interface KillPlan extends KilledGroup {
  /** Of a database without tables. */
  readonly databaseUrl: string;
  /** Of a standby of its server, which is the source. */
  readonly standbyUrl?: string;
  readonly rows: number;
  /** At most: what the snapshot is too short for is killed later. */
  readonly snapshotKills: number;
  readonly streamKills: number;
  readonly seed: number;
  /** Of the connector, over the defaults. */
  readonly connector?: Readonly<Record<string, string>>;
  readonly log?: (line: string) => void;
}

export interface KillResult {
  readonly faults: Faults;
  /** Kills between the first and the last row of a snapshot. */
  readonly duringSnapshot: number;
  readonly kills: number;
  /** Of a cluster. */
  readonly brokerKills: number;
  readonly brokersFrozen: number;
  /** Of transactions, to another broker. */
  readonly coordinatorMoves: number;
  readonly committed: number;
  readonly reads: number;
  readonly changes: number;
}

/** Ids of rows that mark an end; later ones are smaller. */
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
  private readonly writer: VersionedWriter;
  private readonly workers: KilledWorkers;
  private readonly follower: HistoryFollower;
  private readonly history: ExactHistory;
  private readonly marks: string[] = [];
  private duringSnapshot = 0;
  private talking: NodeJS.Timeout | null = null;

  constructor(private readonly plan: KillPlan) {
    this.random = seeded(plan.seed).next;
    this.database = new Client({ connectionString: plan.databaseUrl });
    this.writing = new Client({ connectionString: plan.databaseUrl });
    this.writer = new VersionedWriter(this.writing, plan.rows, this.random, 200);
    const tasks = Array.from({ length: Number(plan.connector?.['tasks.max'] ?? 1) }, (_, task) => task);
    const work = {
      transactionalIds: tasks.map((task) => `${plan.name}-${plan.name}-${task}`),
      offsetsTopic: `${plan.name}-offsets`,
      topics: TABLES.map(({ name }) => `${plan.name}.public.${name}`),
    };
    this.workers = new KilledWorkers(plan, work, this.random);
    this.follower = new HistoryFollower(
      plan.broker.bootstrapServers,
      plan.name,
      TABLES.map(({ name }) => name),
      3,
    );
    this.history = this.follower.history;
  }

  async all(): Promise<KillResult> {
    const { snapshotKills, streamKills, connector } = this.plan;
    const { workers, writer, history } = this;
    await this.prepare();
    await workers.startAll();
    await workers.register(this.config());
    const mode = connector?.['snapshot.mode'] ?? 'initial';
    // Without a stream, rows that change must be read again.
    const streams = mode !== 'initial_only';
    if (mode === 'no_data') {
      await waitFor('the slot', () => this.hasSlot('confirmed_flush_lsn IS NOT NULL'));
      history.knows(await this.versions());
      writer.start();
    } else await this.killInSnapshot(snapshotKills, streams);
    await this.killLater(snapshotKills + streamKills - workers.kills);
    if (mode === 'when_needed') await this.loseSlot(snapshotKills, streamKills);
    await workers.brokers?.recovered();
    await writer.stop();
    if (streams) await this.mark();
    await this.follower.toEnd();
    const committed = [...writer.changes, ...this.marks];
    const { duringSnapshot } = this;
    const { reads, changes } = history;
    const faults = history.faults(committed, await this.versions());
    if (Object.values(faults).some((count) => count > 0)) await this.explain(committed);
    return {
      ...{ faults, duringSnapshot, kills: workers.kills, committed: committed.length, reads, changes },
      brokerKills: workers.brokers?.kills ?? 0,
      brokersFrozen: workers.brokers?.frozen ?? 0,
      coordinatorMoves: workers.brokers?.moves ?? 0,
    };
  }

  private async explain(committed: readonly string[]): Promise<void> {
    const { broker, name } = this.plan;
    const folder = await keepEvidence({
      bootstrapServers: broker.bootstrapServers,
      topics: [...TABLES.map((table) => `${name}.public.${table.name}`), `${name}-offsets`, `${name}-configs`],
      committed,
      lost: this.history.lost(committed),
      database: this.database,
      logs: this.workers.allLogs(),
    });
    this.plan.log?.(`evidence: ${folder}`);
  }

  async close(): Promise<void> {
    if (this.talking !== null) clearInterval(this.talking);
    await this.workers.stopAll();
    await this.follower.close();
    await this.writing.end();
    await this.database.end();
  }

  private async prepare(): Promise<void> {
    const { database, plan } = this;
    await database.connect();
    await this.writing.connect();
    for (const { create, insert } of TABLES) {
      await database.query(create);
      await database.query(insert('0', String(plan.rows - 1)));
    }
    await database.query('ANALYZE');
    const config = { 'bootstrap.servers': plan.broker.bootstrapServers };
    const admin = createAdmin(createWire(config), { timeoutMs: 120_000, retryBackoffMs: 50, retryBackoffMaxMs: 500 });
    const topics = TABLES.map(({ name }) => ({ name: `${plan.name}.public.${name}`, partitions: 3 }));
    await admin.createTopics(topics.map((topic) => ({ ...topic, replicationFactor: -1, configs: {} })));
    await admin.close();
    if (plan.standbyUrl !== undefined) await this.publish(plan.standbyUrl);
  }

  /** What a standby cannot do itself. */
  private async publish(standbyUrl: string): Promise<void> {
    const { database } = this;
    const tables = TABLES.map(({ name }) => name).join(', ');
    await database.query(`CREATE PUBLICATION ${this.config()['publication.name']} FOR TABLE ${tables}`);
    const [end] = (await database.query<{ lsn: string }>('SELECT pg_current_wal_lsn()::text AS lsn')).rows;
    const standby = new Client({ connectionString: standbyUrl });
    await standby.connect();
    const sql = 'SELECT FROM pg_last_wal_replay_lsn() lsn WHERE lsn >= $1::pg_lsn';
    await waitFor('the standby to have the rows', async () => (await standby.query(sql, [end?.lsn])).rowCount);
    await standby.end();
    // A slot on a standby waits until the primary logs its running transactions.
    this.talking = setInterval(() => {
      database.query('SELECT pg_log_standby_snapshot()').catch(() => undefined);
    }, 500);
  }

  private config(): Record<string, string> {
    const { databaseUrl, standbyUrl, name, connector } = this.plan;
    return postgresSource(standbyUrl ?? databaseUrl, {
      'topic.prefix': name,
      'slot.name': name.replaceAll('-', '_'),
      'publication.name': `pub_${name.replaceAll('-', '_')}`,
      'publication.autocreate.mode': standbyUrl === undefined ? 'filtered' : 'disabled',
      'table.include.list': TABLES.map((table) => `public.${table.name}`).join(','),
      'snapshot.max.threads': '2',
      'max.batch.size': '500',
      'slot.max.retries': '600',
      'slot.retry.delay.ms': '100',
      'exactly.once.support': 'required',
      ...connector,
    });
  }

  /** Each kill comes after a random share of what is unread, or while the next attempt starts. */
  private async killInSnapshot(kills: number, changesRows: boolean): Promise<void> {
    const { history, random, workers } = this;
    const { reads, changes } = history;
    const total = (await this.versions()).size;
    // From the first row on, every change is later than the snapshot.
    await this.reached(() => history.reads > reads, 'the first rows');
    if (changesRows) this.writer.start();
    const hasEnded = (): boolean => history.changes > changes || history.reads - reads >= total;
    const killedAt: number[] = [];
    for (let i = 0; i < kills; i++) {
      const unread = total - (history.reads - reads);
      const next = history.reads + (random() * 1.6 * unread) / (kills - i + 1);
      if (i > 0 && random() < 0.25) await sleep(random() * 1000);
      else await this.reached(() => history.reads >= next || hasEnded(), 'more rows');
      if (hasEnded()) break;
      killedAt.push(Date.now());
      // The snapshot would end before a broker returns.
      await workers.kill((how) => this.plan.log?.(`${how}, ${history.reads} rows read`), false);
    }
    if (changesRows) await this.reached(() => history.changes > changes, 'the stream');
    else await this.reached(hasEnded, 'the last rows');
    const [first, last] = history.readBetween;
    this.duringSnapshot += killedAt.filter((at) => at >= first && at < last).length;
  }

  private async killLater(kills: number): Promise<void> {
    for (let i = 0; i < kills; i++) {
      if (this.workers.isBrokerNext) await this.brokersRecovered();
      await sleep(this.random() * 2000);
      await this.workers.kill((how) => this.plan.log?.(`${how}, ${this.history.changes} changes`));
    }
  }

  /** Resolves when all brokers of a cluster are back and the task delivers, so that the next kill interrupts it. */
  private async brokersRecovered(): Promise<void> {
    const { brokers } = this.workers;
    if (brokers === null) return;
    const began = performance.now();
    await brokers.recovered();
    const inSync = performance.now();
    const { changes } = this.history;
    await this.reached(() => this.history.changes > changes, 'changes after the recovery of a broker');
    const [waited, delivered] = [inSync - began, performance.now() - inSync].map((ms) => (ms / 1000).toFixed(1));
    this.plan.log?.(`brokers in sync after ${waited} s, changes ${delivered} s later`);
  }

  /** Nothing changes in between, so nothing is lost with the slot. */
  private async loseSlot(snapshotKills: number, streamKills: number): Promise<void> {
    const { database, workers, history, writer } = this;
    await writer.stop();
    await this.mark();
    await workers.crashAll();
    await this.follower.toEnd();
    this.plan.log?.('the slot is dropped');
    await waitFor('the slot to be free', () => this.hasSlot('NOT active'));
    await database.query(
      'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = current_database()',
    );
    history.readAgainFrom(await this.versions());
    const before = workers.kills;
    await workers.startAll();
    await this.killInSnapshot(snapshotKills, true);
    await this.killLater(snapshotKills + streamKills - (workers.kills - before));
  }

  /** Resolves when everything until now is in the topics. */
  private async mark(): Promise<void> {
    const id = DONE - this.marks.length;
    await this.database.query(`INSERT INTO plain VALUES (${id}, 0, 'the end')`);
    this.marks.push(`plain ${id} 0`);
    await this.reached(() => this.history.last.has(`plain ${id}`), 'the last change', 300_000);
  }

  private async hasSlot(condition: string): Promise<boolean> {
    const client = new Client({ connectionString: this.plan.standbyUrl ?? this.plan.databaseUrl });
    await client.connect();
    const { rows } = await client.query(
      `SELECT FROM pg_replication_slots WHERE database = current_database() AND ${condition}`,
    );
    await client.end();
    return rows.length > 0;
  }

  private async reached(test: () => boolean, what: string, timeoutMs = 120_000): Promise<void> {
    await waitFor(what, async () => test(), { timeoutMs, everyMs: 10, detail: () => this.workers.logs() });
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
