/**
 * Posts small files directly to the engine. Large files are queued, and so are those for which the engine lacks
 * capacity or that it can only load from the queue. Sources: analytics-sink §4.8, §5.10.
 */
import { createReadStream } from 'node:fs';
import { type Logger, sleep, monotonicNow } from '@millrace/sdk';
import type { SealedFile } from '../batcher/staging-file';
import type { Cluster } from '../service/cluster';
import { asServiceError, type ServiceError } from '../service/service-error';
import type { SinkMetrics } from '../sink-metrics';
import { tableOf } from './confirmed-target';
import { PartitionRevokedError } from './ownership';
import type { Shipment, Target } from './target';

const MAX_STREAMED_BYTES = 4 * 1024 * 1024;
/** Between the three attempts. */
const BACKOFF_MS = [1_000, 2_000];
const FALLBACKS_BEFORE_PAUSE = 3;
const STREAMING_PAUSE_MS = 60_000;

/** Codes of rejections that do not concern queued files: no policy, update policies, the size of the request. */
const QUEUED_ONLY =
  /StreamingIngestionPolicyNotEnabled|StreamingIngestionDisabledForCluster|UpdatePolicyIncompatible|QuerySchemaDoesNotMatchTableSchema|FileTooLarge|InputStreamTooLarge/i;

interface StreamingOptions {
  readonly cluster: Cluster;
  readonly queued: Target;
  readonly metrics: Pick<SinkMetrics, 'streamingFallbacks'>;
  readonly logger: Pick<Logger, 'warn'>;
}

export class StreamingTarget implements Target {
  /** Topic-partition → consecutive fallbacks to the queue, and until when streaming is paused. */
  private readonly fallbacks = new Map<string, { count: number; until: number }>();

  constructor(private readonly options: StreamingOptions) {}

  async ship(shipment: Shipment): Promise<void> {
    const { file } = shipment;
    const key = `${file.topic}-${file.partition}`;
    if (file.bytes <= MAX_STREAMED_BYTES && monotonicNow() >= (this.fallbacks.get(key)?.until ?? 0)) {
      const failure = await this.stream(shipment);
      if (failure === null) {
        this.fallbacks.delete(key);
        return;
      }
      const count = (this.fallbacks.get(key)?.count ?? 0) + 1;
      this.fallbacks.set(key, {
        count,
        until: count >= FALLBACKS_BEFORE_PAUSE ? monotonicNow() + STREAMING_PAUSE_MS : 0,
      });
      this.options.metrics.streamingFallbacks.add();
      if (count === 1)
        this.options.logger.warn(
          `Cannot stream ${file.name} into ${tableOf(file)}, queueing this file and those that fail after it: ${failure.message}`,
          { code: failure.serviceCode ?? failure.code },
        );
    }
    await this.options.queued.ship(shipment);
  }

  /** Resolves with the reason to queue the file; null: it is loaded. @throws ServiceError for a permanent failure. */
  private async stream({ file, owner }: Shipment): Promise<ServiceError | null> {
    for (let attempt = 1; ; attempt++) {
      try {
        await owner.post(async (signal) => await this.post(file, signal));
        return null;
      } catch (error) {
        if (owner.signal.aborted || error instanceof PartitionRevokedError) throw error;
        const failure = asServiceError(error);
        // Until an operator changes the table, each attempt would be rejected.
        if (isForQueue(failure)) return failure;
        if (failure.kind === 'permanent') throw failure;
        const pause = BACKOFF_MS[attempt - 1];
        if (pause === undefined) return failure;
        await sleep(Math.max(pause, failure.retryAfterMs), owner.signal);
        owner.signal.throwIfAborted();
      }
    }
  }

  private async post(file: SealedFile, signal: AbortSignal): Promise<void> {
    const { cluster } = this.options;
    await cluster.require({
      method: 'POST',
      url: streamUrl(cluster.queryUrl, file),
      headers: {
        'Content-Type': 'application/octet-stream',
        'Content-Length': String(file.bytes),
        ...(file.isGzip && { 'Content-Encoding': 'gzip' }),
      },
      body: () => createReadStream(file.path),
      signal,
    });
  }
}

function isForQueue({ status, serviceCode, message }: ServiceError): boolean {
  return status === 413 || QUEUED_ONLY.test(`${serviceCode} ${message}`);
}

function streamUrl(queryUrl: string, { mapping }: SealedFile): string {
  const query = new URLSearchParams({ streamFormat: mapping.format.streamName });
  if (mapping.mapping !== null) query.set('mappingName', mapping.mapping);
  const [database, table] = [mapping.database, mapping.table].map(encodeURIComponent);
  return `${queryUrl}/v1/rest/ingest/${database}/${table}?${query.toString()}`;
}
