/** Workers of one group, of which one after the other is killed or frozen, and their brokers, which restart. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaCluster, RunningKafka } from '../../dev/services/kafka';
import type { StartedWorker } from '../../dev/services/worker';
import { freezeBeside, startKillable } from './killable-worker';
import { KilledBrokers, type BrokerWork } from './killed-brokers';

export interface KilledGroup {
  /** Of a cluster, one broker at a time is killed or frozen. */
  readonly broker: RunningKafka | KafkaCluster;
  /** Of the group and of its connector. */
  readonly name: string;
  readonly workers: number;
  /** Every so many kills, counted from 1; 0: never. Of a cluster, brokers are killed two times out of three. */
  readonly freezeEvery: number;
  readonly brokerEvery: number;
}

export class KilledWorkers {
  private workers: StartedWorker[] = [];
  /** Of workers that have ended. */
  private readonly endedLogs: string[] = [];
  /** Null without a cluster. */
  readonly brokers: KilledBrokers | null;
  kills = 0;

  constructor(
    private readonly group: KilledGroup,
    work: BrokerWork,
    private readonly random: () => number,
  ) {
    const { broker } = group;
    this.brokers = 'nodes' in broker ? new KilledBrokers(broker, work, random) : null;
  }

  /**
   * Whether the next kill is of a broker. Of a cluster, two brokers follow each other: the task must survive the first,
   * and is killed while the second is away.
   */
  get isBrokerNext(): boolean {
    const { brokerEvery } = this.group;
    const next = this.kills + 1;
    return this.brokers !== null ? next % 3 !== 0 : brokerEvery > 0 && next % brokerEvery === 0;
  }

  async startAll(): Promise<void> {
    this.workers = await Promise.all(Array.from({ length: this.group.workers }, () => this.start()));
  }

  async register(config: Record<string, string>): Promise<void> {
    await (this.workers[0] as StartedWorker).register({ name: this.group.name, config });
  }

  /**
   * Ends the worker that runs the task, sometimes after a pause, or a broker.
   * @param waits for the previous broker to return before it kills another one; otherwise it kills a worker
   */
  async kill(log: (how: string) => void, waits = true): Promise<void> {
    const { group, random } = this;
    const isOfBroker = this.isBrokerNext && (waits || this.brokers?.isAway !== true);
    const count = ++this.kills;
    if (isOfBroker) {
      if (!('nodes' in group.broker)) {
        log(`${count}: broker`);
        await group.broker.crash();
        await sleep(random() * 1000);
        await group.broker.restart();
      } else await this.brokers?.kill((how) => log(`${count}: ${how}`));
      return;
    }
    const at = await this.owner();
    const worker = this.workers[at] as StartedWorker;
    const isFrozen = group.freezeEvery > 0 && count % group.freezeEvery === 0;
    log(`${count}: ${isFrozen ? 'SIGSTOP' : 'SIGKILL'}`);
    if (isFrozen) {
      const next = await freezeBeside(
        worker,
        () => this.start(),
        random,
        () => this.keepLog(worker),
      );
      this.workers[at] = next;
    } else {
      this.keepLog(worker);
      await worker.crash();
      this.workers[at] = await this.start();
    }
  }

  async crashAll(): Promise<void> {
    for (const worker of this.workers) await worker.crash();
  }

  /** Of all workers until now, in the order of their ends. */
  allLogs(): string {
    return [...this.endedLogs, ...this.workers.map(({ process }) => process.log())].join('\n===\n');
  }

  async stopAll(): Promise<void> {
    for (const worker of this.workers) await worker.stop();
    await this.brokers?.close();
  }

  logs(): string {
    return this.workers.map(({ process }) => process.log().slice(-4000)).join('\n===\n');
  }

  private keepLog({ url, process }: StartedWorker): void {
    this.endedLogs.push(`${url}, ended at ${new Date().toISOString()}\n${process.log()}`);
  }

  private async start(): Promise<StartedWorker> {
    const { broker, name } = this.group;
    return await startKillable(broker.bootstrapServers, name, { 'exactly.once.source.support': 'enabled' });
  }

  /** Number of the worker that runs the task; otherwise any. */
  private async owner(): Promise<number> {
    const [first] = this.workers;
    const status = await first?.status(this.group.name).catch(() => null);
    const id = status?.tasks[0]?.worker_id ?? '';
    return Math.max(
      0,
      this.workers.findIndex(({ url }) => url.endsWith(`/${id}`) || url.endsWith(id.split(':').pop() ?? '')),
    );
  }
}
