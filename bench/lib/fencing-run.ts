/**
 * A group of workers with a source whose number of tasks changes again and again, each change followed by a round of
 * fencing, in which one of the workers is killed or suspended.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../dev/services/wait-for';
import type { StartedWorker } from '../../dev/services/worker';
import { SESSION_MS, startKillable } from './killable-worker';

export interface FencingPlan {
  readonly bootstrapServers: string;
  /** Unused so far: group, connector, and the topic, which exists. */
  readonly name: string;
  readonly counters: number;
  /** `exactly.once.source.support` of each worker. */
  readonly support: readonly string[];
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: (line: string) => void;
}

export class FencingRun {
  private readonly workers: StartedWorker[] = [];
  private readonly asleep = new Set<StartedWorker>();
  private woken: Promise<void>[] = [];
  private tasks = 2;
  /** Kills that followed the begin of a round within 40 ms. */
  hits = 0;

  constructor(private readonly plan: FencingPlan) {}

  async begin(): Promise<void> {
    for (const support of this.plan.support) this.workers.push(await this.start(support));
    await this.change();
    await this.settled();
  }

  /** Changes the number of tasks, and kills or suspends a worker in the round that follows, the leader preferably. */
  async interrupt(): Promise<void> {
    const { random, log } = this.plan;
    const leader = await this.leader();
    this.tasks = 1 + ((this.tasks + this.below(3)) % 4);
    const before = this.rounds();
    await this.change();
    const inRound = await waitFor('a round', async () => this.rounds() > before, { timeoutMs: 4000, everyMs: 2 }).then(
      () => true,
      () => false,
    );
    if (inRound) this.hits++;
    await sleep(random() * 40);
    const victim = leader !== null && random() < 0.6 ? leader : this.any();
    const freezes = random() < 0.3 && this.awake().length > 1;
    const who = victim === leader ? 'the leader' : 'a follower';
    log(`${this.tasks} task(s), ${inRound ? 'in' : 'without'} a round: ${freezes ? 'SIGSTOP' : 'SIGKILL'} of ${who}`);
    if (freezes) this.freeze(victim);
    else await this.replace(victim);
  }

  /** Resolves when all suspended workers are awake and all tasks run. */
  async settled(): Promise<void> {
    await Promise.all(this.woken.splice(0));
    await this.running(this.tasks);
  }

  /** Resolves when no task runs any more. */
  async end(): Promise<void> {
    await this.settled();
    await this.any().request('PUT', `/connectors/${this.plan.name}/stop`);
    await this.running(0);
  }

  async close(): Promise<void> {
    await Promise.all(this.woken);
    await Promise.all(this.workers.map((worker) => worker.stop()));
  }

  private async start(support: string): Promise<StartedWorker> {
    const { bootstrapServers, name } = this.plan;
    return await startKillable(bootstrapServers, name, {
      'plugin.path': join(__dirname, '..', 'plugins'),
      'exactly.once.source.support': support,
      'errors.restart.backoff.ms': '500',
    });
  }

  private freeze(victim: StartedWorker): void {
    process.kill(victim.pid, 'SIGSTOP');
    this.asleep.add(victim);
    const wake = (): void => {
      process.kill(victim.pid, 'SIGCONT');
      this.asleep.delete(victim);
    };
    this.woken.push(sleep(SESSION_MS + 1000 + this.below(4000)).then(wake));
  }

  private async replace(victim: StartedWorker): Promise<void> {
    await victim.crash();
    const at = this.workers.indexOf(victim);
    this.workers[at] = await this.start(this.plan.support[at] as string);
  }

  private async change(): Promise<void> {
    const { name, counters } = this.plan;
    const config = {
      'connector.class': 'bench.CountersSourceConnector',
      ...{ topic: name, counters: String(counters), 'tasks.max': String(this.tasks) },
    };
    const asked = async (): Promise<boolean> => {
      const answer = await fetch(`${this.any().url}/connectors/${name}/config`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(config),
        // The leader may be suspended.
        signal: AbortSignal.timeout(5000),
      }).catch(() => null);
      return answer?.ok === true;
    };
    await waitFor('the change', asked, { timeoutMs: 120_000, detail: () => this.logs() });
  }

  private async leader(): Promise<StartedWorker | null> {
    for (const worker of this.awake()) {
      const answer = await worker.request('DELETE', '/connectors/none?forward=false').catch(() => null);
      if (answer?.status === 404) return worker;
    }
    return null;
  }

  private async running(tasks: number): Promise<void> {
    let last: unknown;
    const areRunning = async (): Promise<boolean> => {
      const status = await this.any()
        .status(this.plan.name)
        .catch(() => null);
      last = status;
      return status?.tasks.length === tasks && status.tasks.every(({ state }) => state === 'RUNNING');
    };
    const detail = (): string => `${JSON.stringify(last)}\n${this.logs()}`;
    await waitFor(`${tasks} task(s) to run`, areRunning, { timeoutMs: 120_000, everyMs: 100, detail });
  }

  private rounds(): number {
    return this.awake().reduce(
      (sum, worker) => sum + worker.process.log().split('task producer(s) of connector').length - 1,
      0,
    );
  }

  private awake(): StartedWorker[] {
    return this.workers.filter((worker) => !this.asleep.has(worker));
  }

  private any(): StartedWorker {
    return this.awake()[this.below(this.awake().length)] as StartedWorker;
  }

  private below(limit: number): number {
    return Math.floor(this.plan.random() * limit);
  }

  private logs(): string {
    return this.workers.map(({ process }) => process.log().slice(-4000)).join('\n===\n');
  }
}
