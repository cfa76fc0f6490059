/** A topic that is written to all the time, deleted, and created again. Each record is a line that no other has. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createWire } from '../../packages/kafka-client/src/network/network-client';
import type { Admin, Producer } from '@millrace/kafka-client';
import { createProducer } from '../../packages/kafka-client/src/producer/producer';
import { silentLogger } from '../../src/logging/logger';
import { waitFor } from '../../dev/services/wait-for';

const PARTITIONS = 2;
const EVERY_MS = 20;

export class WrittenTopic {
  /** Acknowledged records of the topic that exists now. */
  acknowledged: string[] = [];
  /** Of topics that were deleted; a sink may have read them before. */
  deleted: string[] = [];
  exists = false;
  private created = 0;
  private ending = false;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    readonly name: string,
    private readonly bootstrapServers: string,
    private readonly admin: Admin,
  ) {}

  /** @param atOnce records that are written before the others, without a pause between them */
  async create(atOnce = 0): Promise<void> {
    await this.admin.createTopics([{ name: this.name, partitions: PARTITIONS, replicationFactor: 1, configs: {} }]);
    const config = { 'bootstrap.servers': this.bootstrapServers };
    const producer = createProducer(createWire(config), config, silentLogger);
    await producer.connect();
    await waitFor(`leaders of ${this.name}`, () =>
      producer.prepare([this.name]).then(
        () => true,
        () => false,
      ),
    );
    this.exists = true;
    this.ending = false;
    this.created++;
    this.writing = this.write(producer, atOnce);
  }

  async delete(): Promise<void> {
    await this.stop();
    await this.admin.deleteTopics([this.name]);
    this.exists = false;
    this.deleted.push(...this.acknowledged.splice(0));
  }

  /** Resolves when all records are acknowledged. */
  async stop(): Promise<void> {
    this.ending = true;
    await this.writing;
  }

  private async write(producer: Producer, atOnce: number): Promise<void> {
    for (let n = 0; !this.ending; n++) {
      const line = `${this.name} ${this.created} ${n}`;
      const record = { topic: this.name, partition: n % PARTITIONS, key: null, value: Buffer.from(line) };
      producer.send(record, (error) => {
        if (error === null) this.acknowledged.push(line);
      });
      if (n >= atOnce) await sleep(EVERY_MS);
    }
    await producer.flush();
    await producer.close();
  }
}
