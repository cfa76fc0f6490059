/**
 * The brokers of a cluster, of which one after the other is killed or frozen: each time one that coordinates the
 * transactions of a task, or leads the partition of its offsets or one of its topics.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel, type Admin } from 'kafkajs';
import type { KafkaCluster, RunningKafka } from '../../dev/services/kafka';
import { waitFor } from '../../dev/services/wait-for';
import { createWire } from '../../packages/kafka-client/src/network/network-client';
import type { Wire } from '../../packages/kafka-client/src/wire';

/** Longer than `broker.session.timeout.ms`: other brokers replace a frozen one, and it detects that when it resumes. */
const FROZEN_MS = 10_000;
const RESTARTED_WITHIN_MS = 3000;
/** Of requests to a broker that is frozen. */
const REQUEST_TIMEOUT_MS = 3000;

/** In this order, again and again. */
const ROLES = ['transactions', 'offsets', 'transactions', 'records'] as const;

/** What the brokers do for the tasks of a connector. */
export interface BrokerWork {
  readonly transactionalIds: readonly string[];
  readonly offsetsTopic: string;
  readonly topics: readonly string[];
}

export class KilledBrokers {
  kills = 0;
  frozen = 0;
  /** Kills of a coordinator that another broker then replaced. */
  moves = 0;
  /** A broker has not yet returned. */
  isAway = false;
  private readonly wire: Wire;
  private readonly admin: Admin;
  private recovery: Promise<void> | null = null;

  constructor(
    private readonly cluster: KafkaCluster,
    private readonly work: BrokerWork,
    private readonly random: () => number,
  ) {
    const { bootstrapServers } = cluster;
    this.wire = createWire({
      'bootstrap.servers': bootstrapServers,
      'request.timeout.ms': String(REQUEST_TIMEOUT_MS),
    });
    this.admin = new Kafka({
      brokers: bootstrapServers.split(','),
      requestTimeout: REQUEST_TIMEOUT_MS,
      logLevel: logLevel.NOTHING,
    }).admin();
  }

  /**
   * Resolves while the broker is away; it returns after some seconds. The cluster works without only one broker, so
   * this waits first until the previous one has returned.
   */
  async kill(log: (how: string) => void): Promise<void> {
    const { work, random } = this;
    await this.recovered();
    const transactionalId = this.pick(work.transactionalIds);
    const role = ROLES[this.kills % ROLES.length] as (typeof ROLES)[number];
    const isFrozen = random() < 1 / 3;
    const coordinator = await this.coordinator(transactionalId);
    const victim = role === 'transactions' ? coordinator : await this.leader(role);
    const node = this.cluster.nodes[victim - 1] as RunningKafka;
    this.kills++;
    if (isFrozen) this.frozen++;
    log(`${isFrozen ? 'SIGSTOP' : 'SIGKILL'} of broker ${victim} (${role})`);
    this.isAway = true;
    const pid = node.pid as number;
    if (isFrozen) process.kill(pid, 'SIGSTOP');
    else await node.crash();
    const replaced = victim === coordinator ? this.replaced(transactionalId, victim) : Promise.resolve();
    const returned = isFrozen
      ? sleep(FROZEN_MS).then(() => process.kill(pid, 'SIGCONT'))
      : replaced.then(() => sleep(random() * RESTARTED_WITHIN_MS)).then(() => node.restart());
    const recovery = Promise.all([replaced, returned]).then(async () => {
      await this.inSync();
      this.isAway = false;
    });
    // `recovered` rejects with its error.
    recovery.catch(() => undefined);
    this.recovery = recovery;
  }

  /** Resolves when all brokers are back and have all records. */
  async recovered(): Promise<void> {
    await this.recovery;
  }

  async close(): Promise<void> {
    await this.recovery?.catch(() => undefined);
    await this.wire.close();
    await this.admin.disconnect();
  }

  private pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)] as T;
  }

  /** Node id. */
  private async coordinator(transactionalId: string): Promise<number> {
    return await waitFor(`a coordinator of ${transactionalId}`, () => this.findCoordinator(transactionalId));
  }

  private async replaced(transactionalId: string, victim: number): Promise<void> {
    await waitFor(`another coordinator of ${transactionalId}`, async () => {
      const found = await this.findCoordinator(transactionalId);
      return found !== null && found !== victim;
    });
    this.moves++;
  }

  private async findCoordinator(transactionalId: string): Promise<number | null> {
    this.wire.forgetCoordinator('transaction', transactionalId);
    return await this.wire.coordinator('transaction', transactionalId).catch(() => null);
  }

  /** Node id. */
  private async leader(role: 'offsets' | 'records'): Promise<number> {
    const { offsetsTopic, topics } = this.work;
    const topic = role === 'offsets' ? offsetsTopic : this.pick(topics);
    // The offsets of a connector are in one partition.
    const ends = await this.admin.fetchTopicOffsets(topic);
    const longest = ends.reduce((a, b) => (Number(b.high) > Number(a.high) ? b : a)).partition;
    const { topics: found } = await this.admin.fetchTopicMetadata({ topics: [topic] });
    const chosen = role === 'offsets' ? longest : this.pick(ends).partition;
    return found[0]?.partitions.find(({ partitionId }) => partitionId === chosen)?.leader as number;
  }

  private async inSync(): Promise<void> {
    await waitFor('all replicas to be in sync', async () => {
      const metadata = await this.admin.fetchTopicMetadata().catch(() => null);
      return metadata?.topics.every(({ partitions }) =>
        partitions.every(({ isr, replicas }) => isr.length === replicas.length),
      );
    });
  }
}
