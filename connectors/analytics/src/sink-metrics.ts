/** What a task counts. The first six are the counters of the Java sink. Source: analytics-sink §4.12. */
import type { Counter, PluginMetrics } from '@millrace/sdk';

const PREFIX = 'millrace_analytics_';

interface SinkFigures {
  openFiles(): number;
  filesInFlight(): number;
  /** In milliseconds since the epoch; 0: there is none. */
  oldestUndelivered(): number;
}

export class SinkMetrics {
  readonly recordsWritten: Counter;
  readonly recordsFailed: Counter;
  readonly ingestionAttempts: Counter;
  readonly ingestionSuccesses: Counter;
  readonly ingestionFailures: Counter;
  readonly deadLetters: Counter;
  readonly recordsDropped: Counter;
  readonly streamingFallbacks: Counter;
  readonly uncompressedBytes: Counter;
  readonly uploadedBytes: Counter;

  constructor(metrics: PluginMetrics, figures: SinkFigures) {
    const counter = (name: string, help: string, failedRecords = false): Counter =>
      metrics.counter(`${PREFIX}${name}_total`, { help, failedRecords });
    const gauge = (name: string, help: string, read: () => number, age = false): unknown =>
      metrics.gauge(`${PREFIX}${name}`, { help, age }, read);
    this.recordsWritten = counter('records_written', 'Records written into files on the disk of the worker.');
    this.recordsFailed = counter('records_failed', 'Records that do not match the format of their table.');
    this.ingestionAttempts = counter('ingestion_attempts', 'Attempts to deliver a file to the service.');
    this.ingestionSuccesses = counter('ingestion_successes', 'Attempts that succeeded.');
    this.ingestionFailures = counter('ingestion_failures', 'Attempts that failed; most are repeated.');
    this.deadLetters = counter('dlq_records_sent', 'Records that the dead letter queue has acknowledged.', true);
    this.recordsDropped = counter('records_dropped', 'Undeliverable records that behavior.on.error has dropped.', true);
    this.streamingFallbacks = counter('streaming_fallbacks', 'Files that were queued because streaming failed.');
    this.uncompressedBytes = counter('bytes_uncompressed', 'Size of the delivered files before compression.');
    this.uploadedBytes = counter('bytes_uploaded', 'Size of the delivered files as they were sent.');
    gauge('open_files', 'Files that records are being written into.', () => figures.openFiles());
    gauge('inflight_files', 'Complete files that are not delivered yet.', () => figures.filesInFlight());
    gauge(
      'oldest_undelivered_seconds',
      'Age of the oldest record that is not delivered; 0: none.',
      () => figures.oldestUndelivered(),
      true,
    );
  }
}
