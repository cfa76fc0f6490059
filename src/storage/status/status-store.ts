/**
 * Statuses of connectors and tasks, and the topics they use, stored in the status topic. Source: connect-runtime §1.6.
 */
import { sleep, messageOf, isRetriable } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { Restart } from '../log/cause';
import type { CompactedLog, LogRecord } from '../log/compacted-log';
import { StatusCache } from './status-cache';
import {
  readStatusRecord,
  statusKey,
  statusRecord,
  type EntityStatus,
  type StatusEntity,
  type StoredStatus,
  type TopicStatus,
} from './status-records';

export type WorkEntity = Exclude<StatusEntity, { kind: 'topic' }>;
/** Called for every status that is read and applied, those from before the start included. `before` null: none. */
export type OnStatus = (entity: WorkEntity, status: StoredStatus, before: StoredStatus | null) => void;

const RETRY_MS = 300;

export class StatusStore {
  readonly cache = new StatusCache();
  /** Called when any worker, including this one, has deleted the status of a connector's topic. */
  onTopicForgotten: (connector: string, topic: string) => void = () => undefined;
  /** Newest write per key, so that the retry of an older write does not overwrite it. */
  private readonly sequences = new Map<string, number>();
  private sequence = 0;
  /** What this worker has written last, by key, where that is RUNNING. */
  private readonly running = new Map<string, { readonly status: EntityStatus; readonly restart: Restart | null }>();
  /** Generation of the last status this worker sent. */
  private generation = -1;
  private readonly stopping = new AbortController();

  constructor(
    private readonly log: CompactedLog,
    private readonly logger: Logger,
    private readonly onStatus: OnStatus = () => undefined,
  ) {}

  async start(): Promise<void> {
    await this.log.start((record) => this.apply(record));
    await this.log.readToEnd();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.log.stop();
  }

  /** Reads the statuses that other workers have written. */
  async readToEnd(): Promise<void> {
    await this.log.readToEnd();
  }

  /** Reads what this worker has written, once all of it is acknowledged or has failed. */
  async readWritten(): Promise<void> {
    await this.log.flush();
    await this.log.readWritten();
  }

  /** Writes unconditionally. Returns at once; the cache has the status when it is read back. */
  put(entity: WorkEntity, status: EntityStatus, restart: Restart | null = null): void {
    this.generation = status.generation;
    this.send(entity, status, false, restart);
  }

  /** Writes only if no other worker has written a newer status. */
  putSafe(entity: WorkEntity, status: EntityStatus, restart: Restart | null = null): void {
    this.generation = status.generation;
    if (this.isSafe(entity, status)) this.send(entity, status, true, restart);
  }

  delete(entity: WorkEntity): void {
    this.send(entity, null, false);
  }

  putTopic(status: TopicStatus): void {
    this.send({ kind: 'topic', connector: status.connector, topic: status.topic }, status, false);
  }

  deleteTopic(connector: string, topic: string): void {
    this.send({ kind: 'topic', connector, topic }, null, false);
  }

  /** Resolves when all writes are acknowledged or have failed. */
  async flush(): Promise<void> {
    await this.log.flush();
  }

  /** Of the instance, as far as the topic has been read. */
  lastRestart(entity: WorkEntity): Restart | null {
    return this.cached(entity)?.restart ?? null;
  }

  private apply({ offset, timestamp, key, value, headers }: LogRecord): void {
    const record = key === null ? null : readStatusRecord(key.toString('utf8'), value, timestamp, headers);
    if (record === null || record.kind === 'ignored') {
      this.logger.warn(`The status topic's record at offset ${offset} was ignored`, { reason: record?.reason });
      return;
    }
    if (record.kind === 'topic') {
      this.cache.apply(record);
      if (record.status === null) this.onTopicForgotten(record.connector, record.topic);
      return;
    }
    const before = this.cached(record);
    if (!this.cache.apply(record, timestamp)) this.repeat(record);
    else if (record.status !== null) this.onStatus(record, record.status, before);
  }

  /** Of a RUNNING that this worker has written: compaction would retain only the late UNASSIGNED that followed it. */
  private repeat(entity: WorkEntity): void {
    const own = this.running.get(statusKey(entity));
    if (own !== undefined && this.cached(entity)?.workerId === own.status.workerId)
      this.send(entity, own.status, false, own.restart);
  }

  private cached(entity: WorkEntity): StoredStatus | null {
    return entity.kind === 'connector'
      ? this.cache.connector(entity.connector)
      : this.cache.task(entity.connector, entity.task);
  }

  private isSafe(entity: WorkEntity, status: EntityStatus): boolean {
    const cached = this.cached(entity);
    return cached === null || cached.workerId === status.workerId || cached.generation <= status.generation;
  }

  private send(
    entity: StatusEntity,
    status: EntityStatus | TopicStatus | null,
    safe: boolean,
    restart: Restart | null = null,
  ): void {
    const key = statusKey(entity);
    const sequence = ++this.sequence;
    this.sequences.set(key, sequence);
    if (status !== null && 'state' in status && status.state === 'RUNNING') this.running.set(key, { status, restart });
    else this.running.delete(key);
    void this.write(entity, status, safe, key, sequence, restart);
  }

  private async write(
    entity: StatusEntity,
    status: EntityStatus | TopicStatus | null,
    safe: boolean,
    key: string,
    sequence: number,
    restart: Restart | null,
  ): Promise<void> {
    for (;;) {
      try {
        await this.log.write([statusRecord(entity, status, restart)]);
        break;
      } catch (error) {
        if (!isRetriable(error) || this.stopping.signal.aborted) {
          this.logger.error(`Cannot write status ${key}, giving up: ${messageOf(error)}`);
          break;
        }
        await sleep(RETRY_MS, this.stopping.signal);
        if (!this.isCurrent(entity, status, safe, key, sequence)) break;
      }
    }
    if (this.sequences.get(key) === sequence) this.sequences.delete(key);
  }

  private isCurrent(
    entity: StatusEntity,
    status: EntityStatus | TopicStatus | null,
    safe: boolean,
    key: string,
    sequence: number,
  ): boolean {
    if (this.sequences.get(key) !== sequence) return false;
    if (entity.kind === 'topic' || status === null || 'topic' in status) return true;
    if (status.generation !== this.generation) return false;
    return !safe || this.isSafe(entity, status);
  }
}
