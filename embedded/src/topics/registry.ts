/**
 * The topics there are. With a data folder, `topics.json` says what exists and is replaced as a whole; a partition's log is
 * in `logs/<topic id>/<partition>/`, so that a topic created again never meets the files of its predecessor.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PartitionLog } from '../log/partition-log';
import type { CreateTransactionIndex, TopicPartition } from '../ports';
import { readSettings, type Topic } from './topic';

export interface RegistryOptions {
  readonly dataDir: string | null;
  readonly fsync: 'always' | 'never';
  readonly createTransactionIndex: CreateTransactionIndex;
  readonly now: () => number;
  readonly log: (line: string) => void;
}

interface StoredTopics {
  readonly version: 1;
  readonly clusterId: string;
  readonly topics: Record<string, { id: string; partitions: number; configs: Record<string, string> }>;
}

const FILE = 'topics.json';
const LOGS = 'logs';

export class TopicRegistry {
  readonly clusterId: string;
  private readonly topics = new Map<string, Topic>();

  constructor(private readonly options: RegistryOptions) {
    const stored = this.load();
    this.clusterId = stored?.clusterId ?? randomBytes(16).toString('base64url');
    for (const [name, { id, partitions, configs }] of Object.entries(stored?.topics ?? {})) {
      this.topics.set(name, this.open(name, id, partitions, new Map(Object.entries(configs))));
    }
    if (!stored) this.save();
    this.removeStrangers();
  }

  private load(): StoredTopics | null {
    if (this.options.dataDir === null) return null;
    mkdirSync(join(this.options.dataDir, LOGS), { recursive: true });
    const path = join(this.options.dataDir, FILE);
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    const stored = JSON.parse(text) as StoredTopics;
    if (stored.version !== 1) {
      throw new Error(`${path} was written by another version of this broker; start it with another data folder.`);
    }
    return stored;
  }

  private save(): void {
    const { dataDir } = this.options;
    if (dataDir === null) return;
    const topics: StoredTopics['topics'] = {};
    for (const { name, id, partitions, configs } of this.topics.values()) {
      topics[name] = { id, partitions: partitions.length, configs: Object.fromEntries(configs) };
    }
    const content: StoredTopics = { version: 1, clusterId: this.clusterId, topics };
    const temporary = join(dataDir, `${FILE}.tmp`);
    writeFileSync(temporary, JSON.stringify(content, null, 1), { flush: true });
    renameSync(temporary, join(dataDir, FILE));
  }

  /** Folders of topics whose creation or deletion a crash has cut short. */
  private removeStrangers(): void {
    const { dataDir } = this.options;
    if (dataDir === null) return;
    const known = new Set([...this.topics.values()].map((topic) => topic.id));
    for (const id of readdirSync(join(dataDir, LOGS))) {
      if (!known.has(id)) rmSync(join(dataDir, LOGS, id), { recursive: true, force: true });
    }
  }

  private open(name: string, id: string, partitions: number, configs: ReadonlyMap<string, string>): Topic {
    const topic: Topic = { name, id, configs, settings: readSettings(configs), partitions: [] };
    for (let partition = 0; partition < partitions; partition++) this.addPartition(topic);
    return topic;
  }

  private addPartition(topic: Topic): void {
    const { dataDir, fsync, createTransactionIndex, now, log } = this.options;
    const partition = topic.partitions.length;
    topic.partitions.push(
      new PartitionLog({
        folder: dataDir === null ? null : join(dataDir, LOGS, topic.id, String(partition)),
        fsync,
        transactions: createTransactionIndex({ topic: topic.name, partition }),
        now,
        log,
      }),
    );
  }

  get(name: string): Topic | undefined {
    return this.topics.get(name);
  }

  partition({ topic, partition }: TopicPartition): PartitionLog | undefined {
    return this.topics.get(topic)?.partitions[partition];
  }

  all(): Topic[] {
    return [...this.topics.values()];
  }

  /** The name must be free and valid, the configs valid. */
  create(name: string, partitions: number, configs: ReadonlyMap<string, string>): Topic {
    const topic = this.open(name, randomBytes(16).toString('hex'), partitions, configs);
    this.topics.set(name, topic);
    this.save();
    return topic;
  }

  delete(topic: Topic): void {
    this.topics.delete(topic.name);
    this.save();
    for (const log of topic.partitions) log.remove();
    if (this.options.dataDir !== null) {
      rmSync(join(this.options.dataDir, LOGS, topic.id), { recursive: true, force: true });
    }
  }

  addPartitions(topic: Topic, total: number): void {
    while (topic.partitions.length < total) this.addPartition(topic);
    this.save();
  }

  configure(topic: Topic, configs: ReadonlyMap<string, string>): void {
    topic.configs = configs;
    topic.settings = readSettings(configs);
    this.save();
  }

  async close(): Promise<void> {
    await Promise.all(this.all().flatMap((topic) => topic.partitions.map((log) => log.close())));
  }
}
