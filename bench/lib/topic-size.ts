import { Kafka, logLevel } from 'kafkajs';
import { waitFor } from '../../dev/services/wait-for';
import type { RunningWorker } from '../../dev/services/worker';

/** Reads how many records a topic has. */
export class TopicSize {
  private readonly admin;

  constructor(
    bootstrapServers: string,
    readonly topic: string,
  ) {
    this.admin = new Kafka({ brokers: bootstrapServers.split(','), logLevel: logLevel.NOTHING }).admin();
  }

  /** @param settings of the topic (Default: it keeps all its records) */
  async create(partitions = 1, settings: Readonly<Record<string, string>> = { 'retention.ms': '-1' }): Promise<void> {
    await this.admin.connect();
    const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
    await this.admin.createTopics({ topics: [{ topic: this.topic, numPartitions: partitions, configEntries }] });
  }

  async close(): Promise<void> {
    await this.admin.disconnect();
  }

  async records(): Promise<number> {
    const partitions = await this.admin.fetchTopicOffsets(this.topic);
    return partitions.reduce((sum, { high }) => sum + Number(high), 0);
  }

  /** Resolves when the topic has `count` records. Rejects with the trace if the connector or a task fails. */
  async reaches(count: number, worker: RunningWorker, connector: string): Promise<void> {
    const enough = async (): Promise<boolean> => {
      if ((await this.records()) >= count) return true;
      const status = await worker.status(connector);
      const failed = [status.connector, ...status.tasks].find(({ state }) => state === 'FAILED');
      if (failed) throw new Error(failed.trace);
      return false;
    };
    await waitFor(`${count} records`, enough, {
      timeoutMs: 3_600_000,
      everyMs: 50,
      detail: () => worker.process.log().slice(-4000),
    });
  }
}
