/**
 * Posts small files directly to the engine. Large files, and those for which the engine lacks capacity, are queued.
 * Sources: analytics-sink §4.8, §5.10.
 */
import { createReadStream } from 'node:fs';
import { sleep } from '@millrace/sdk';
import type { SealedFile } from '../batcher/staging-file';
import type { Cluster } from '../service/cluster';
import { asServiceError } from '../service/service-error';
import { PartitionRevokedError } from './ownership';
import type { Shipment, Target } from './target';

const MAX_STREAMED_BYTES = 4 * 1024 * 1024;
const ATTEMPTS = 3;
const BACKOFF_MS = [1_000, 2_000];
const FALLBACKS_BEFORE_PAUSE = 3;
const STREAMING_PAUSE_MS = 60_000;

export class StreamingTarget implements Target {
  /** Topic-partition → consecutive fallbacks to the queue, and until when streaming is paused. */
  private readonly fallbacks = new Map<string, { count: number; until: number }>();

  constructor(
    private readonly cluster: Cluster,
    private readonly queued: Target,
    private readonly now: () => number = Date.now,
  ) {}

  async ship(shipment: Shipment): Promise<void> {
    const { file } = shipment;
    const key = `${file.topic}-${file.partition}`;
    const state = this.fallbacks.get(key) ?? { count: 0, until: 0 };
    if (file.bytes <= MAX_STREAMED_BYTES && this.now() >= state.until && (await this.stream(shipment))) {
      this.fallbacks.delete(key);
      return;
    }
    if (file.bytes <= MAX_STREAMED_BYTES && this.now() >= state.until) {
      const count = state.count + 1;
      this.fallbacks.set(key, { count, until: count >= FALLBACKS_BEFORE_PAUSE ? this.now() + STREAMING_PAUSE_MS : 0 });
    }
    await this.queued.ship(shipment);
  }

  /** False: the engine cannot accept it now, so it is queued. @throws ServiceError for a permanent failure. */
  private async stream({ file, owner }: Shipment): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        await owner.post(async (signal) => await this.post(file, signal));
        return true;
      } catch (error) {
        if (owner.signal.aborted || error instanceof PartitionRevokedError) throw error;
        const failure = asServiceError(error);
        if (failure.kind === 'permanent') throw failure;
        const pause = BACKOFF_MS[attempt];
        if (pause !== undefined) {
          await sleep(Math.max(pause, failure.retryAfterMs), owner.signal);
          owner.signal.throwIfAborted();
        }
      }
    }
    return false;
  }

  private async post(file: SealedFile, signal: AbortSignal): Promise<void> {
    await this.cluster.require({
      method: 'POST',
      url: streamUrl(this.cluster.queryUrl, file),
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

function streamUrl(queryUrl: string, { mapping }: SealedFile): string {
  const query = new URLSearchParams({ streamFormat: mapping.format.streamName });
  if (mapping.mapping !== null) query.set('mappingName', mapping.mapping);
  const [database, table] = [mapping.database, mapping.table].map(encodeURIComponent);
  return `${queryUrl}/v1/rest/ingest/${database}/${table}?${query.toString()}`;
}
