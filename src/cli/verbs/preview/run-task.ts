/** Runs the task of a preview until there are enough records, or no more in time. */
import { ConnectError, settledWithin, type SourceRecord, startTimer } from '@millrace/sdk';
import { workerClients } from '../../../kafka-clients';
import type { KafkaClients, ProducerRecord } from '@millrace/kafka-client';
import type { Logger } from '../../../logging/logger';
import type { RunListener } from '../../../tasks/host';
import { previewProducer } from '../../../tasks/source/preview-delivery';
import type { PreviewFailure, SourcePreview } from '../../../tasks/source-preview';
import { TaskRunner } from '../../../tasks/task-runner';
import type { WorkerSetup } from '../../worker/read-config';
import type { PreviewOptions } from './options';
import type { PreviewOffsets } from './preview-offsets';
import type { PreviewedSource } from './previewed-source';
import type { ReadProduced } from './preview-registry';
import { type RecordSource, type ShownRecord, shownRecord, withTexts } from './shown-record';

/** Time for the task to stop, ms. */
const STOP_MS = 10_000;

export type End = 'enough' | 'too large' | 'quiet' | 'failed' | 'interrupted';

export interface TaskRun {
  readonly end: End;
  readonly collected: CollectedRecords;
  /** Records of the task's own producers. */
  readonly discarded: number;
}

export interface RunTaskOptions extends Pick<PreviewOptions, 'count' | 'timeoutMs' | 'idleMs'> {
  readonly prepared: PreviewedSource;
  readonly setup: WorkerSetup;
  readonly offsets: PreviewOffsets;
  readonly logger: Logger;
  /** Resolves at the first signal. */
  readonly interrupted: Promise<void>;
  onRecord(record: ShownRecord): void;
}

export async function runTask(options: RunTaskOptions): Promise<TaskRun> {
  const { prepared, setup, offsets, logger, count, timeoutMs, idleMs, interrupted, onRecord } = options;
  const { spec, source, read, registry, failed } = prepared;
  let discarded = 0;
  let end!: (end: End) => void;
  const ended = new Promise<End>((resolve) => (end = resolve));
  const quietAfter = (ms: number): NodeJS.Timeout => startTimer(() => end('quiet'), ms);
  let timer = quietAfter(timeoutMs);
  const onShown = (record: ShownRecord): void => {
    clearTimeout(timer);
    timer = quietAfter(idleMs);
    onRecord(record);
  };
  const collected = new CollectedRecords({ limit: count, source, read, onShown });
  let real: KafkaClients | null = null;
  const clients = previewClients(
    () => (real ??= workerClients(logger, setup.config.tokenUrls)),
    () => void discarded++,
  );
  const { config } = setup;
  const runner = new TaskRunner(
    spec,
    { config, clients, registry, offsets, logger, preview: collected },
    listener(() => end('failed')),
  );
  void collected.enough.then(() => end(collected.isTooLarge ? 'too large' : 'enough'));
  void interrupted.then(() => end('interrupted'));
  failed.catch((error: unknown) => {
    logger.error(`The connector failed: ${error instanceof Error ? error.message : String(error)}`);
    end('failed');
  });
  runner.start();
  try {
    return { end: await ended, collected, discarded };
  } finally {
    clearTimeout(timer);
    runner.stop();
    const late = Symbol('late');
    if ((await settledWithin(runner.done, STOP_MS, late)) === late) {
      logger.warn(`The task has not stopped within ${STOP_MS / 1000} s.`);
      runner.cancel();
    }
  }
}

function listener(onFailed: () => void): RunListener {
  const ignore = (): void => undefined;
  return {
    onRunning: ignore,
    onPaused: ignore,
    onResumed: ignore,
    onStopped: ignore,
    onTopicActive: ignore,
    onMetrics: ignore,
    onCondition: ignore,
    onClient: ignore,
    // The runner logs the reason.
    onFailed,
  };
}

/** Keys, values and headers of all records together. The record that exceeds it is the last one. */
export const MAX_BYTES = 16 * 1024 * 1024;
const MAX_FAILURES = 5;

export interface CollectedOptions {
  readonly limit: number;
  readonly source: RecordSource;
  readonly read: ReadProduced | null;
  readonly onShown: (record: ShownRecord) => void;
  /** (Default: 16 MiB) */
  readonly maxBytes?: number;
}

export class CollectedRecords implements SourcePreview {
  /** Resolves when no further record is wanted. */
  readonly enough: Promise<void>;
  count = 0;
  /** Polled records that are not shown, with those that failed. */
  skipped = 0;
  failed = 0;
  /** The first ones. */
  readonly failures: PreviewFailure[] = [];
  private bytes = 0;
  private done!: () => void;
  /** A record whose parts are being read. */
  private reading: Promise<void> | null = null;

  constructor(private readonly options: CollectedOptions) {
    this.enough = new Promise((resolve) => (this.done = resolve));
  }

  get isFull(): boolean {
    return this.count >= this.options.limit || this.isTooLarge;
  }
  get isTooLarge(): boolean {
    return this.bytes > (this.options.maxBytes ?? MAX_BYTES);
  }

  onRecord(record: ProducerRecord, polled: SourceRecord): void {
    if (this.isFull) return;
    const { source, read, onShown } = this.options;
    const shown = shownRecord(record, polled, source);
    this.count++;
    this.bytes += shown.bytes;
    const show = (given: ShownRecord): void => {
      onShown(given);
      if (this.isFull) this.done();
    };
    if (read === null) return show(shown);
    // What cannot be read is shown as bytes.
    this.reading = read(record)
      .then(
        (texts) => withTexts(shown, texts),
        () => shown,
      )
      .then(show)
      .finally(() => (this.reading = null));
  }

  onSkipped(): void {
    this.skipped++;
  }

  onFailure(failure: PreviewFailure): void {
    this.failed++;
    if (this.failures.length < MAX_FAILURES) this.failures.push(failure);
  }

  /** The task waits until it is stopped. */
  whenReady(): Promise<void> | null {
    if (this.reading !== null) return this.reading;
    return this.isFull ? new Promise(() => undefined) : null;
  }
}

/**
 * The Kafka clients of the task: its own consumers read, its own producers discard their records.
 * @param load creates real clients, when the task wants a consumer
 */
function previewClients(load: () => KafkaClients, onDiscarded: () => void): KafkaClients {
  const none = (): never => {
    throw new ConnectError('A preview has no such Kafka client.');
  };
  return {
    // Reports each record as delivered.
    producer: () =>
      previewProducer(({ topic, partition }, onDelivery, token = -1) => {
        onDiscarded();
        setImmediate(() => onDelivery?.(null, token, topic, partition ?? 0, 0));
      }),
    assignedConsumer: (...given) => load().assignedConsumer(...given),
    admin: none,
    groupConsumer: none,
    groupMember: none,
  };
}
