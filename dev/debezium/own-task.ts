/** Runs Millrace's PostgreSQL task without a worker. */
import type { SourceRecord } from '@millrace/sdk';
import { PostgresSourceTask } from '../../connectors/postgres/src/task';
import type { EventRecord, TaskUnderTest } from './event-record';
import { RecordDump } from './record-dump';
import { taskContext } from './task-context';

export class OwnTask implements TaskUnderTest {
  readonly records: EventRecord[] = [];
  failure: string | null = null;
  private task: PostgresSourceTask | null = null;
  private polling: Promise<void> | null = null;
  private abort = new AbortController();
  private log = '';
  private readonly dump = new RecordDump();

  /** @param seen gets each record as the task returned it, before the next poll */
  constructor(private readonly seen: (record: SourceRecord) => void = () => undefined) {}

  async start(config: Readonly<Record<string, string>>): Promise<void> {
    this.records.length = 0;
    this.failure = null;
    this.log = '';
    this.abort = new AbortController();
    const task = new PostgresSourceTask();
    this.task = task;
    const { signal } = this.abort;
    const context = taskContext({
      config,
      signal,
      log: (message) => void (this.log = `${this.log}${message}\n`.slice(-20_000)),
      storeOffset: async (partition, offset) => task.commit(new Map([[partition, offset]])),
    });
    await task.start({ name: 'comparison', ...config }, context);
    this.polling = this.poll(task, signal).catch((error: Error) => {
      this.failure = `${error.message} ${(error.cause as Error | undefined)?.message ?? ''}`;
    });
  }

  private async poll(task: PostgresSourceTask, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const batch = (await task.poll()) ?? [];
      for (const record of batch) {
        this.seen(record);
        this.records.push(this.dump.of(record));
      }
      if (batch.length === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.task?.stop();
    await this.polling;
    this.task = null;
  }

  logged(): string {
    return this.log;
  }
}
