/** Reads the metrics of one worker again and again. A worker that does not answer in time does not delay the others. */
import { settledWithin } from '@millrace/sdk';
import type { ConnectClient } from '../rest/connect-client';
import type { WorkerReading } from './rows';
import { workerFigures } from './worker-figures';

export interface Readings {
  readonly now: WorkerReading;
  /** The latest one with figures before it. */
  readonly before: WorkerReading | undefined;
}

/** Metrics are text, errors are JSON. */
const TYPES = 'text/plain, application/json;q=0.5';
const LARGEST_METRICS = 64 * 1024 * 1024;

export class WorkerPoll {
  private readonly worker: string;
  private pending: Promise<void> | null = null;
  private sentAt = 0;
  /** Not yet returned. */
  private answer: WorkerReading | null = null;
  private before: WorkerReading | undefined;

  constructor(private readonly client: ConnectClient) {
    this.worker = new URL(client.address).host;
  }

  /** Waits for the answer at most `waitMs`. A later answer is the next reading. */
  async read(waitMs: number): Promise<Readings> {
    this.pending ??= this.request();
    await settledWithin(this.pending, waitMs, undefined);
    const { before } = this;
    const now = this.answer ?? this.missing();
    this.answer = null;
    if (now.figures) this.before = now;
    return { now, before };
  }

  private async request(): Promise<void> {
    this.sentAt = performance.now();
    this.answer = await this.readMetrics();
    this.pending = null;
  }

  private async readMetrics(): Promise<WorkerReading> {
    const { worker } = this;
    const limits = { accept: [404], mediaTypes: TYPES, largest: LARGEST_METRICS };
    try {
      const text = await this.client.requestText('/metrics', limits);
      const at = performance.now();
      return text === '' ? { worker, at } : { worker, at, figures: workerFigures(text) };
    } catch (error) {
      return { worker, at: performance.now(), problem: `GET /metrics: ${(error as Error).message}` };
    }
  }

  private missing(): WorkerReading {
    const at = performance.now();
    const problem = `GET /metrics: no answer for ${Math.ceil((at - this.sentAt) / 1000)} s`;
    return { worker: this.worker, at, problem };
  }
}
