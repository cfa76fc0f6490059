/** Runs the task of a preview until there are enough records, or no more in time. */
import { settledWithin, startTimer } from '@millrace/sdk';
import { workerClients } from '../../kafka-clients';
import type { KafkaClients } from '../../kafka/port';
import type { Logger } from '../../logging/logger';
import type { RunListener } from '../../tasks/host';
import { TaskRunner } from '../../tasks/task-runner';
import type { WorkerSetup } from '../worker/read-config';
import { CollectedRecords } from './collected-records';
import { previewClients } from './preview-clients';
import type { PreviewedSource } from './previewed-source';
import type { PreviewOffsets } from './preview-offsets';
import type { PreviewOptions } from './preview-options';
import type { ShownRecord } from './shown-record';

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
  const { spec, source, registry, failed } = prepared;
  let discarded = 0;
  let end!: (end: End) => void;
  const ended = new Promise<End>((resolve) => (end = resolve));
  const quietAfter = (ms: number): NodeJS.Timeout => startTimer(() => end('quiet'), ms);
  let timer = quietAfter(timeoutMs);
  const collected = new CollectedRecords(count, source, (record) => {
    clearTimeout(timer);
    timer = quietAfter(idleMs);
    onRecord(record);
  });
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
    onClient: ignore,
    // The runner logs the reason.
    onFailed,
  };
}
