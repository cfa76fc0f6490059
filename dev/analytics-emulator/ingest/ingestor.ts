/** Takes messages from the queues, batches them, loads their blobs and reports. Source: analytics-sink §7.4. */
import type { DequeuedMessageItem, QueueClient } from '@azure/storage-queue';
import type { Catalog } from '../engine/catalog';
import { asKustoError } from '../kusto-error';
import type { Resources } from '../storage/resources';
import { Batches, type Batch, type BatchingPolicy } from './batches';
import { ingestBlob, type IngestBlobContext } from './ingest-blob';
import { parseIngestionMessage, type IngestionMessage } from './message';
import type { Outcome } from '../outcome';
import type { Reports } from './reports';

const VISIBILITY_SECONDS = 60;
const RETRY_SECONDS = 1;
const MOST_DELIVERIES = 5;
/** A message posted through the emulator wakes the loop; this is for those that were not. */
const POLL_MS = 1_000;

interface Pending {
  readonly message: IngestionMessage;
  /** Deliveries so far, this one included. */
  readonly deliveries: number;
  settle(outcome: Outcome): Promise<void>;
}

export interface IngestorOptions extends IngestBlobContext {
  readonly catalog: Catalog;
  readonly resources: Resources;
  readonly reports: Reports;
  /** Where a table has no policy of its own. */
  readonly batching: BatchingPolicy;
}

export class Ingestor {
  private readonly batches: Batches<Pending>;
  private running = true;
  private paused = false;
  private wake: () => void = () => undefined;
  private loop: Promise<void> = Promise.resolve();
  private tail: Promise<void> = Promise.resolve();
  private receiving: Promise<unknown> = Promise.resolve();
  private unsettled = 0;

  constructor(private readonly options: IngestorOptions) {
    this.batches = new Batches(
      (message) => this.policyOf(message),
      (batch) => {
        this.tail = this.tail.then(async () => await this.process(batch));
      },
    );
  }

  start(): void {
    this.loop = this.run();
  }

  /** There may be a new message. */
  notify(): void {
    this.wake();
  }

  set isPaused(paused: boolean) {
    this.paused = paused;
    this.notify();
  }

  /** A blob that did not come by queue; resolves with its end. */
  async submit(message: IngestionMessage): Promise<Outcome> {
    return await new Promise((resolve) => {
      const add = (deliveries: number): void =>
        this.add({
          message,
          deliveries,
          settle: async (outcome) => {
            if (outcome.status === 'Retry') setTimeout(() => add(deliveries + 1), RETRY_SECONDS * 1_000);
            else {
              await this.options.reports.write(message, outcome);
              resolve(outcome);
            }
          },
        });
      add(1);
    });
  }

  /** Resolves when everything posted so far is loaded or has failed. */
  async flush(): Promise<void> {
    for (;;) {
      const taken = await this.receive();
      this.batches.sealAll();
      await this.tail;
      if (taken === 0 && this.unsettled === 0) return;
    }
  }

  async stop(): Promise<void> {
    this.running = false;
    this.notify();
    await this.loop;
    this.batches.sealAll();
    await this.tail;
  }

  private async run(): Promise<void> {
    while (this.running) {
      const woken = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_MS);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      const taken = this.paused ? 0 : await this.receive().catch(() => 0);
      if (taken === 0 && this.running) await woken;
      else this.wake();
    }
  }

  /** One after the other: who finds the queues empty knows of every message that was in them. */
  private receive(): Promise<number> {
    const received = this.receiving.then(async () => await this.receiveAll());
    this.receiving = received.catch(() => undefined);
    return received;
  }

  private async receiveAll(): Promise<number> {
    let taken = 0;
    for (const queue of this.options.resources.queues) {
      const { receivedMessageItems } = await queue.receiveMessages({
        numberOfMessages: 32,
        visibilityTimeout: VISIBILITY_SECONDS,
      });
      taken += receivedMessageItems.length;
      for (const item of receivedMessageItems) await this.accept(queue, item);
    }
    return taken;
  }

  private async accept(queue: QueueClient, item: DequeuedMessageItem): Promise<void> {
    let message: IngestionMessage;
    try {
      message = parseIngestionMessage(item.messageText);
    } catch (error) {
      const { code, message: details } = asKustoError(error);
      const unreadable = parseIngestionMessage(Buffer.from('{}').toString('base64'));
      await this.options.reports.write(unreadable, { status: 'Failed', code, details });
      await queue.deleteMessage(item.messageId, item.popReceipt);
      return;
    }
    this.add({
      message,
      deliveries: item.dequeueCount,
      settle: async (outcome) => {
        if (outcome.status === 'Retry') {
          await queue.updateMessage(item.messageId, item.popReceipt, item.messageText, RETRY_SECONDS);
          setTimeout(() => this.notify(), RETRY_SECONDS * 1_000 + 50);
          return;
        }
        // The rows are there: a crash before this line loads them twice, as in the service.
        await queue.deleteMessage(item.messageId, item.popReceipt);
        await this.options.reports.write(message, outcome);
      },
    });
  }

  private add(pending: Pending): void {
    this.unsettled++;
    this.batches.add(pending);
  }

  private async process(batch: Batch<Pending>): Promise<void> {
    const seen = new Set<string>();
    for (const pending of batch.items) {
      const { message } = pending;
      const path = message.blobPath.split('?')[0] ?? '';
      const outcome: Outcome = seen.has(path)
        ? {
            status: 'Skipped',
            code: 'BlobAlreadyReceived_BlobAlreadyFoundInBatch',
            details: 'The blob is in the batch already',
          }
        : await this.ingest(pending);
      seen.add(path);
      await pending.settle(outcome).catch((error: unknown) => {
        process.stderr.write(`The end of ingestion ${message.id} could not be written: ${String(error)}\n`);
      });
      this.unsettled--;
    }
  }

  private async ingest({ message, deliveries }: Pending): Promise<Outcome> {
    const outcome = await ingestBlob(this.options, message);
    if (outcome.status !== 'Retry' || deliveries < MOST_DELIVERIES) return outcome;
    return { status: 'Failed', code: 'General_RetryAttemptsExceeded', details: `${outcome.code}: ${outcome.details}` };
  }

  private policyOf({ database, table }: IngestionMessage): BatchingPolicy {
    const { catalog, batching } = this.options;
    const text = catalog.policy(`${knownName(catalog, database)}/${table}`, 'ingestionbatching');
    if (text === null) return batching;
    const policy = JSON.parse(text) as Record<string, unknown>;
    const { MaximumBatchingTimeSpan: time, MaximumNumberOfItems: items, MaximumRawDataSizeMB: megabytes } = policy;
    return {
      timeMs: typeof time === 'string' ? timespanMs(time) : batching.timeMs,
      items: typeof items === 'number' ? items : batching.items,
      bytes: typeof megabytes === 'number' ? megabytes * 1024 * 1024 : batching.bytes,
    };
  }
}

function knownName(catalog: Catalog, database: string): string {
  return catalog.databaseNames().find((name) => name.toLowerCase() === database.toLowerCase()) ?? database;
}

function timespanMs(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1_000;
}
