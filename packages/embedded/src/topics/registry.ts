/**
 * The topics there are. With a data folder, `topics.json` says what exists and is replaced as a whole; a partition's
 * log is in `logs/<topic id>/<partition>/`, so that a topic created again never meets the files of its predecessor.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile, syncFolder } from '../storage/files';
import { PartitionLog } from '../log/partition-log';
import type { TopicPartition } from '../partitions';
import { readSettings, type Topic } from './topic';

export interface RegistryOptions {
  readonly dataDir: string | null;
  readonly fsync: 'always' | 'never';
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
    if (!stored) this.save([]);
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

  /** Writes that these are all topics; what was written before holds when it throws. */
  private save(all: Iterable<Topic>): void {
    const { dataDir, fsync } = this.options;
    if (dataDir === null) return;
    const topics: StoredTopics['topics'] = {};
    for (const { name, id, partitions, configs } of all) {
      topics[name] = { id, partitions: partitions.length, configs: Object.fromEntries(configs) };
    }
    const content: StoredTopics = { version: 1, clusterId: this.clusterId, topics };
    replaceFile(join(dataDir, FILE), JSON.stringify(content, null, 1), fsync === 'always');
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
    this.openPartitions(topic, partitions);
    return topic;
  }

  /** All up to the number of `total`, or none. */
  private openPartitions(topic: Topic, total: number): void {
    const { dataDir, fsync, now, log } = this.options;
    const before = topic.partitions.length;
    try {
      while (topic.partitions.length < total) {
        const partition = topic.partitions.length;
        const folder = dataDir === null ? null : join(dataDir, LOGS, topic.id, String(partition));
        topic.partitions.push(new PartitionLog({ folder, fsync, now, log }));
      }
      if (dataDir === null || fsync === 'never') return;
      syncFolder(join(dataDir, LOGS, topic.id));
      syncFolder(join(dataDir, LOGS));
    } catch (error) {
      this.dropPartitions(topic, before);
      throw error;
    }
  }

  private dropPartitions(topic: Topic, from: number): void {
    for (const log of topic.partitions.splice(from)) log.remove();
    if (from === 0 && this.options.dataDir !== null) {
      rmSync(join(this.options.dataDir, LOGS, topic.id), { recursive: true, force: true });
    }
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

  /** The name must be free and valid, the configs valid. @throws what the disk says; there is no such topic then. */
  create(name: string, partitions: number, configs: ReadonlyMap<string, string>): Topic {
    const topic = this.open(name, randomBytes(16).toString('hex'), partitions, configs);
    try {
      this.save([...this.topics.values(), topic]);
    } catch (error) {
      this.dropPartitions(topic, 0);
      throw error;
    }
    this.topics.set(name, topic);
    return topic;
  }

  delete(topic: Topic): void {
    this.save(this.all().filter((other) => other !== topic));
    this.topics.delete(topic.name);
    this.dropPartitions(topic, 0);
  }

  addPartitions(topic: Topic, total: number): void {
    const before = topic.partitions.length;
    this.openPartitions(topic, total);
    try {
      this.save(this.topics.values());
    } catch (error) {
      this.dropPartitions(topic, before);
      throw error;
    }
  }

  configure(topic: Topic, configs: ReadonlyMap<string, string>): void {
    this.save(this.all().map((other) => (other === topic ? { ...topic, configs } : other)));
    topic.configs = configs;
    topic.settings = readSettings(configs);
  }

  async close(): Promise<void> {
    await Promise.all(this.all().flatMap((topic) => topic.partitions.map((log) => log.close())));
  }
}
