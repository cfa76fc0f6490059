/** Workers of one group, of which one after the other is killed or frozen, and their broker, which restarts. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningKafka } from '../../dev/services/kafka';
import type { StartedWorker } from '../../dev/services/worker';
import { freezeBeside, startKillable } from './killable-worker';

export interface KilledGroup {
  readonly broker: RunningKafka;
  /** Of the group and of its connector. */
  readonly name: string;
  readonly workers: number;
  /** Every so many kills, counted from 1; 0: never. */
  readonly freezeEvery: number;
  readonly brokerEvery: number;
}

export class KilledWorkers {
  private workers: StartedWorker[] = [];
  /** Of workers that have ended. */
  private readonly endedLogs: string[] = [];
  kills = 0;

  constructor(
    private readonly group: KilledGroup,
    private readonly random: () => number,
  ) {}

  async startAll(): Promise<void> {
    this.workers = await Promise.all(Array.from({ length: this.group.workers }, () => this.start()));
  }

  async register(config: Record<string, string>): Promise<void> {
    await (this.workers[0] as StartedWorker).register({ name: this.group.name, config });
  }

  /** Ends the worker that runs the task, sometimes after a pause. */
  async kill(log: (how: string) => void): Promise<void> {
    const { group, random } = this;
    const count = ++this.kills;
    if (group.brokerEvery > 0 && count % group.brokerEvery === 0) {
      log(`${count}: broker`);
      await group.broker.crash();
      await sleep(random() * 1000);
      await group.broker.restart();
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
