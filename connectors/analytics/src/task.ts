/**
 * Writes records to files, ships the files to the service, and commits the offsets of what was delivered. `put` only
 * writes files: delivery runs in the background, and a partition with too many files in flight is paused. Source:
 * analytics-sink §4.
 */
import {
  ConnectError,
  RetriableError,
  isConnectError,
  type ConnectorConfig,
  type SinkRecord,
  type SinkTask,
  type SinkTaskContext,
  type TextBatch,
  type TopicPartition,
  type TopicPartitionOffset,
  messageOf,
  monotonicNow,
} from '@millrace/sdk';
import { PartitionBatcher, type Sealed } from './batcher/partition-batcher';
import { rawRecord } from './batcher/record-log';
import { RowBuffers } from './batcher/row-buffers';
import { createStagingFolder, removeStaleFolders, type StagingFolder } from './batcher/staging-folder';
import { parseSettings, type AnalyticsSettings } from './config/settings';
import { DeadLetterQueue, type DeadLetterPlace } from './dead-letters/dead-letter-queue';
import { DiskBackoff } from './disk-backoff';
import { DeliveryErrors } from './delivery-errors';
import { findMapping, type TableMapping } from './mapping/topic-mapping';
import { AssignedPartition, partitionKey } from './partition';
import { PartitionPauses } from './partition-pauses';
import { textSinkRecord } from './records/text-record';
import { createTargets } from './request/create-targets';
import { Shipper } from './request/shipper';
import { SinkMetrics } from './sink-metrics';
import { createService, type Service } from './service/create-service';
import { checkIngestion, checkTables } from './service/start-checks';

const CLOSE_TIMEOUT_MS = 4_000;
const STOP_FLUSH_MS = 3_000;

export class AnalyticsSinkTask implements SinkTask {
  /** Each put waits for the disk. */
  readonly maxPollRecords = 2_000;
  /** Unless records are kept for the dead letter queue, or rows have more than the value. */
  putTexts: SinkTask['putTexts'];
  private readonly partitions = new Map<string, AssignedPartition>();
  private readonly buffers = new RowBuffers();
  private context!: SinkTaskContext;
  private settings!: AnalyticsSettings;
  /** Topics without tags. */
  private readonly withoutId = new Set<string>();
  private service: Service | null = null;
  private shipper!: Shipper;
  private metrics!: SinkMetrics;
  private folder: StagingFolder | null = null;
  /** Thrown by the next `put`. */
  private stagingLost: ConnectError | null = null;
  private deadLetters: DeadLetterQueue | null = null;
  private deliveryErrors!: DeliveryErrors;
  private diskBackoff!: DiskBackoff;
  private pauses!: PartitionPauses;

  async start(config: ConnectorConfig, context: SinkTaskContext): Promise<void> {
    const { settings, warnings } = parseSettings(config, context.workerSettings);
    const { logger } = context;
    for (const warning of warnings) logger.warn(warning);
    if (settings.deadLetters && settings.onError === 'fail')
      logger.warn('A dead letter queue is configured, but it is not used while "behavior.on.error" is fail');
    this.settings = settings;
    this.context = context;
    this.metrics = new SinkMetrics(context.metrics, {
      openFiles: () => this.batchers().filter(({ dueAt }) => dueAt !== Infinity).length,
      filesInFlight: () => [...this.partitions.values()].reduce((sum, { shipments }) => sum + shipments.size, 0),
      oldestUndelivered: () => {
        const oldest = Math.min(...this.batchers().map(({ ranges }) => ranges.oldest()));
        return oldest === Infinity ? 0 : oldest;
      },
    });
    const folder = await createStagingFolder(settings.tempDir, context.connector, context.task, () =>
      this.onStagingLost(folder.path),
    );
    this.folder = folder;
    const stale = await removeStaleFolders(settings.tempDir, folder);
    for (const path of stale.removed) logger.info(`Removed ${path}, left by a worker that crashed`);
    for (const path of stale.unknown)
      logger.warn(`${path} does not say which worker uses it; remove it unless a worker of an earlier version does`);
    this.service = createService(settings);
    await checkIngestion(this.service.resources, settings.retry, context);
    if (settings.validateTables) await checkTables(this.service.cluster, settings, logger, context.signal);
    const targetOf = await createTargets(this.service, settings, this.metrics, context);
    if (settings.deadLetters) this.deadLetters = await DeadLetterQueue.open(settings.deadLetters, context);
    this.deliveryErrors = new DeliveryErrors(settings, this.deadLetters, this.metrics, logger);
    const { connection } = context;
    this.shipper = new Shipper({ targetOf, retry: settings.retry, metrics: this.metrics, logger, connection });
    this.diskBackoff = new DiskBackoff(settings.retry, logger);
    this.pauses = new PartitionPauses(context, this.diskBackoff, settings.maxInflightFiles);
    if (!settings.deadLetters && settings.metadataColumns.length === 0)
      this.putTexts = async (batches) => await this.writeTexts(batches);
  }

  private batchers(): PartitionBatcher[] {
    return [...this.partitions.values()].map(({ batcher }) => batcher);
  }

  open(partitions: readonly TopicPartition[]): void {
    for (const id of partitions) {
      if (this.partitions.has(partitionKey(id))) continue;
      const mapping = this.mappingOf(id.topic);
      const partition: AssignedPartition = new AssignedPartition(
        id,
        new PartitionBatcher({
          ...id,
          mapping,
          folder: (this.folder as StagingFolder).path,
          settings: this.settings,
          metrics: this.metrics,
          now: monotonicNow,
          buffers: this.buffers,
          onSealing: (sealed) => this.ship(partition, mapping, sealed),
        }),
      );
      this.partitions.set(partitionKey(id), partition);
    }
  }

  async put(records: readonly SinkRecord[]): Promise<void> {
    const failed = await this.beginPut();
    let partition: AssignedPartition | undefined;
    for (const record of records) {
      // Consecutive records mostly have the same partition. Offsets are those of the consumed topic, which a
      // transformation may have renamed.
      const { originalTopic: topic, originalPartition: number } = record;
      if (partition?.id.partition !== number || partition.id.topic !== topic)
        partition = await this.switchTo({ topic, partition: number }, failed, partition);
      if (!partition || failed.has(partition)) continue;
      const written = this.write(partition, record);
      if (written !== true && !(await written)) failed.add(partition);
    }
    await this.endPut(failed);
  }

  /** The same as `put` of the same values. */
  private async writeTexts(batches: readonly TextBatch[]): Promise<void> {
    const failed = await this.beginPut();
    let partition: AssignedPartition | undefined;
    for (const batch of batches) {
      partition = await this.switchTo(batch, failed, partition);
      if (!partition) continue;
      const { batcher } = partition;
      const { records } = batch;
      for (let next = 0; next < records.length && !failed.has(partition);) {
        const after = batcher.addLines(records, next);
        const room = after > next ? batcher.room() : null;
        const written =
          after === next
            ? this.write(partition, textSinkRecord(batch, records[next]!))
            : room === null || this.onDisk(partition, null, async () => await room);
        if (written !== true && !(await written)) failed.add(partition);
        next = Math.max(after, next + 1);
      }
    }
    await this.endPut(failed);
  }

  /** Returns the partitions whose records are delivered again. */
  private async beginPut(): Promise<Set<AssignedPartition>> {
    this.throwFatal();
    const failed = new Set<AssignedPartition>();
    for (const each of this.partitions.values()) {
      if (each.batcher.failure === null) continue;
      // Rejects when the records of a deleted topic are lost.
      await this.readFrom(each);
      await this.drain(each, failed);
    }
    return failed;
  }

  private async switchTo(
    id: TopicPartition,
    failed: Set<AssignedPartition>,
    before: AssignedPartition | undefined,
  ): Promise<AssignedPartition | undefined> {
    // Its rows do not occupy a buffer while those of others are written.
    if (before && !failed.has(before)) await this.drain(before, failed);
    const partition = this.partitions.get(partitionKey(id));
    if (partition && !failed.has(partition)) await this.readFrom(partition);
    return partition;
  }

  private async endPut(failed: Set<AssignedPartition>): Promise<void> {
    for (const each of this.partitions.values()) {
      if (failed.has(each)) continue;
      each.batcher.sealIfDue();
      await this.drain(each, failed);
    }
    await this.buffers.room();
    this.throwFatal();
    this.pauses.update(this.partitions.values());
  }

  private async drain(partition: AssignedPartition, failed: Set<AssignedPartition>): Promise<void> {
    if (!(await this.onDisk(partition, null, async () => await partition.batcher.drain()))) failed.add(partition);
  }

  preCommit(): TopicPartitionOffset[] {
    return [...this.partitions.values()].flatMap(({ id, batcher }) => {
      const offset = batcher.ranges.committable();
      return offset === null ? [] : [{ ...id, offset }];
    });
  }

  /** Called before the last commit of these partitions. Nothing of them is posted afterwards. */
  async revoking(partitions: readonly TopicPartition[]): Promise<void> {
    const { rebalanceFlushMs } = this.settings;
    // A stopping task has only as long as its worker waits for it.
    const flushMs = this.context.signal.aborted ? Math.min(rebalanceFlushMs, STOP_FLUSH_MS) : rebalanceFlushMs;
    await Promise.all(
      partitions.map(async (id) => {
        const partition = this.partitions.get(partitionKey(id));
        if (!partition) return;
        if (flushMs > 0) await this.finish(partition, flushMs);
        else await partition.finishLast(STOP_FLUSH_MS);
        await partition.release(CLOSE_TIMEOUT_MS);
      }),
    );
  }

  private async finish(partition: AssignedPartition, flushMs: number): Promise<void> {
    try {
      await partition.finish(flushMs);
    } catch (error) {
      const { topic, partition: number } = partition.id;
      this.context.logger.warn(
        `Cannot finish the last file of ${topic}-${number}, leaving its records to the next owner: ${(error as Error).message}`,
      );
    }
  }

  async close(partitions: readonly TopicPartition[]): Promise<void> {
    await Promise.all(
      partitions.map(async (id) => {
        const partition = this.partitions.get(partitionKey(id));
        this.partitions.delete(partitionKey(id));
        await partition?.close(CLOSE_TIMEOUT_MS);
      }),
    );
  }

  async stop(): Promise<void> {
    await this.close([...this.partitions.values()].map(({ id }) => id));
    this.service?.close();
    await this.deadLetters?.close().catch(() => undefined);
    await this.folder?.remove();
  }

  /** The records of a topic that was deleted cannot be read again, so its open file must be sealed. */
  private async readFrom(partition: AssignedPartition): Promise<void> {
    const { id } = partition;
    const topicId = this.context.topicId(id);
    if (topicId === null && this.settings.dedupeTags) this.warnOfMissingId(id.topic);
    try {
      await partition.readFrom(topicId);
    } catch (error) {
      throw new ConnectError(
        `The last records of topic ${id.topic}, which was deleted and created again, cannot be written to the staging folder and are lost: ${messageOf(error)}`,
        { code: 'ANALYTICS_DISK', cause: error, place: { ...id } },
      );
    }
  }

  private warnOfMissingId(topic: string): void {
    if (this.withoutId.has(topic)) return;
    this.withoutId.add(topic);
    this.context.logger.warn(
      `"analytics.dedupe.tags" has no effect on ${topic}: its brokers report no topic id, which tells its records from those of an earlier topic ${topic}`,
    );
  }

  /** False: writing failed, and the worker delivers the partition's records again. */
  private write(partition: AssignedPartition, record: SinkRecord): Promise<boolean> | true {
    let adding: Promise<void> | null;
    try {
      adding = partition.batcher.add(record);
    } catch (error) {
      adding = Promise.reject(error as Error);
    }
    if (adding === null) return true;
    return this.onDisk(partition, record.originalOffset, async () => {
      try {
        await adding;
      } catch (error) {
        if (!isConnectError(error)) throw error;
        await this.reject(partition, record, error);
      }
    });
  }

  private async reject(partition: AssignedPartition, record: SinkRecord, error: Error): Promise<void> {
    this.metrics.recordsFailed.add();
    const range = partition.batcher.setAside(record.originalOffset);
    const handled = this.deliveryErrors
      .handle({
        records: () => [rawRecord(record)],
        count: 1,
        what: `${record.originalTopic}-${record.originalPartition} offset ${record.originalOffset}`,
        place: this.place(partition, 'WRITE', ''),
        error,
        signal: partition.owner.signal,
      })
      .then((done) => {
        if (done) range.pending--;
      });
    this.track(partition, handled);
    // The failure needs no dead letter queue, so this `put` can report it.
    if (this.settings.onError === 'fail') await handled;
  }

  private ship(partition: AssignedPartition, mapping: TableMapping, sealing: Promise<Sealed>): void {
    const shipped = sealing.then(
      async (sealed) => await this.shipSealed(partition, mapping, sealed),
      // The next `put` rewinds the partition.
      () => undefined,
    );
    this.track(partition, shipped);
  }

  private async shipSealed(
    partition: AssignedPartition,
    mapping: TableMapping,
    { file, range, records }: Sealed,
  ): Promise<void> {
    this.diskBackoff.succeeded(partition);
    this.context.logger.debug(`Shipping ${file.name} to ${mapping.database}.${mapping.table}`, {
      records: file.records,
      bytes: file.rawBytes,
    });
    const end = await this.shipper.ship(file, partition.owner);
    if (end.kind === 'missing') return this.onStagingLost(file.path);
    const done =
      end.kind === 'delivered' ||
      (end.kind === 'failed' &&
        (await this.deliveryErrors.handle({
          records: () => records?.read() ?? [],
          count: file.records,
          what: `${file.topic}-${file.partition} offsets ${file.firstOffset} to ${file.lastOffset}, after ${end.attempts} attempt(s),`,
          place: this.place(partition, 'INGEST', end.sourceId),
          error: end.error,
          signal: partition.owner.signal,
        })));
    if (end.kind === 'abandoned' && !partition.batcher.isRepeatable(file))
      this.context.logger.error(
        `${file.records} records of ${file.topic}-${file.partition} are lost, offsets ${file.firstOffset} to ${file.lastOffset}: their topic was deleted before they were delivered, and the partition was revoked`,
      );
    if (done) range.pending--;
    await file.remove();
    await records?.remove();
  }

  /** Its records are not committed: a new task delivers them again. */
  private onStagingLost(path: string): void {
    const code = 'ANALYTICS_DISK';
    this.stagingLost ??= new ConnectError(
      `${path} was removed before its records were delivered, by something other than this task. The task starts again from the last committed offsets; let nothing else remove files in "tempdir.path".`,
      // The worker restarts the task for it. A retriable error itself would make it repeat this `put` without end.
      { code, place: { path }, cause: new RetriableError('A new task has another folder', { code }) },
    );
  }

  private track(partition: AssignedPartition, work: Promise<void>): void {
    const { shipments } = partition;
    const tracked: Promise<void> = work
      .catch((error: unknown) => {
        this.deliveryErrors.fatal ??= new ConnectError(`Processing a staged file failed: ${(error as Error).message}`, {
          code: 'ANALYTICS_DISK',
          cause: error,
        });
      })
      .finally(() => {
        shipments.delete(tracked);
        this.pauses.resumeIfRoom(partition);
      });
    shipments.add(tracked);
  }

  /**
   * Runs disk work for the record at `offset`. If the disk fails, rewinds the partition to its first record that is not
   * in a sealed file. Resolves to whether the work succeeded.
   */
  private async onDisk(
    partition: AssignedPartition,
    offset: number | null,
    work: () => Promise<void>,
  ): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (isConnectError(error)) throw error;
      const first = (await partition.batcher.discard()) ?? offset;
      this.diskBackoff.failed(partition, error as Error);
      if (first !== null) this.context.seek({ ...partition.id, offset: first });
      return false;
    }
  }

  private place({ id }: AssignedPartition, stage: DeadLetterPlace['stage'], sourceId: string): DeadLetterPlace {
    const { database, table } = this.mappingOf(id.topic);
    const { connector, task } = this.context;
    return { connector, task, ...id, stage, database, table, sourceId };
  }

  private mappingOf(topic: string): TableMapping {
    const mapping = findMapping(this.settings.mappings, topic);
    if (mapping) return mapping;
    throw new ConnectError(
      `Sink has no ingestion props mapped for the topic: ${topic}. please check your configuration.`,
      { code: 'ANALYTICS_CONFIG', place: { topic } },
    );
  }

  private throwFatal(): void {
    const fatal = this.stagingLost ?? this.deliveryErrors.fatal;
    if (fatal) throw fatal;
  }
}
