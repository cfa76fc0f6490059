/** Detects that a storage topic was deleted while the worker runs. Source: connect-runtime §1.2. */
import { ConnectError, isConnectError, monotonicNow, settledWithin } from '@millrace/sdk';
import type { Admin } from '@millrace/kafka-client';
import type { Logger } from '../../logging/logger';
import { ensureTopic } from './ensure-topic';
import type { StorageTopic } from './storage-topic';

/** Interval of the checks while nothing is read or written. */
const IDLE_CHECK_MS = 60_000;

/** Kafka answers sooner, unless the topic was deleted or a broker is away. */
const SLOW_MS = 250;

/** False once `answer` settles; true after a while. */
export async function isSlow(answer: Promise<unknown>): Promise<boolean> {
  const settled = answer.then(
    () => false,
    () => false,
  );
  return await settledWithin(settled, SLOW_MS, true);
}

/** True for the error of a change or a read of the config topic after its deletion. */
export function isTopicDeleted(error: unknown): error is ConnectError {
  return isConnectError(error) && error.code === 'STORAGE_TOPIC_DELETED';
}

export class TopicPresence {
  private checkedAt = monotonicNow();
  private deleted: ConnectError | null = null;

  constructor(
    private readonly topic: StorageTopic,
    private readonly admin: Admin,
    private readonly logger: Logger,
  ) {}

  /** For people; null: the topic was there at the last check. */
  get problem(): string | null {
    return this.deleted?.message ?? null;
  }

  get isDue(): boolean {
    return monotonicNow() - this.checkedAt >= IDLE_CHECK_MS;
  }

  /**
   * Creates a deleted topic again, except the config topic: an empty one would delete all connectors at the next start
   * of a worker. It rejects with STORAGE_TOPIC_DELETED until an operator has restored it.
   * @returns true if the topic is another one than at the last check.
   */
  async check(): Promise<boolean> {
    const { topic, admin } = this;
    this.checkedAt = monotonicNow();
    if ((await admin.describeTopics([topic.name])).length > 0) return this.isThere();
    return topic.singlePartition ? await this.checkDeleted() : await this.createAgain();
  }

  private isThere(): boolean {
    if (this.deleted === null) return false;
    this.deleted = null;
    this.logger.warn(`Storage topic '${this.topic.name}' is there again, reading it from its beginning`);
    return true;
  }

  /** A broker that has just started may not know the topic; the controller does. */
  private async checkDeleted(): Promise<boolean> {
    const { name, partitions, replicationFactor, configs } = this.topic;
    const options = { validateOnly: true };
    const missing = await this.admin.createTopics([{ name, partitions, replicationFactor, configs }], options);
    if (!missing.includes(name)) return this.isThere();
    const isNew = this.deleted === null;
    this.deleted = new ConnectError(
      `Storage topic '${name}' (${this.topic.setting}) was deleted while the worker was running. Connectors and tasks continue ` +
        `to run, but nothing can be changed, and a worker that starts finds no connectors. Restore the topic from a ` +
        `backup; or, to start with an empty one, save the connectors' configs with GET /connectors?expand=info, ` +
        `restart the workers and create the connectors again.`,
      { code: 'STORAGE_TOPIC_DELETED', place: { topic: name } },
    );
    if (isNew) this.logger.error(this.deleted.message);
    throw this.deleted;
  }

  private async createAgain(): Promise<boolean> {
    const { topic, admin, logger } = this;
    if (!(await ensureTopic(admin, topic, { logger }))) return false;
    logger.error(
      `Storage topic '${topic.name}' (${topic.setting}) was deleted while the worker was running, and has been created again: ` +
        `the ${topic.purpose} stored in it are lost. This worker continues with what it has read; one that starts ` +
        `finds only what is written from now on. Restore the topic from a backup before a restart.`,
    );
    return true;
  }
}
