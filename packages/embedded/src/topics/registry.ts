/**
 * The topics of the broker. With a data folder, `topics.json` lists them and is replaced atomically. The log of a
 * partition is in `logs/<topic id>/<partition>/`, so that a re-created topic never finds the files of the deleted one.
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
  private readonly ids = new Map<string, Topic>();

  constructor(private readonly options: RegistryOptions) {
    const stored = this.load();
    this.clusterId = stored?.clusterId ?? randomBytes(16).toString('base64url');
    for (const [name, { id, partitions, configs }] of Object.entries(stored?.topics ?? {})) {
      this.add(this.open(name, id, partitions, new Map(Object.entries(configs))));
    }
    if (!stored) this.save([]);
    this.removeUnknownFolders();
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
      throw new Error(`${path} was written by another version of this broker; choose another data folder.`);
    }
    return stored;
  }

  /** Replaces `topics.json` atomically; on failure the previous content remains. */
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

  /** Deletes the folders of topics whose creation or deletion was interrupted by a crash. */
  private removeUnknownFolders(): void {
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

  /** Opens partitions up to the number `total`. On failure it removes those it has opened. */
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
      this.removePartitions(topic, before);
      throw error;
    }
  }

  private removePartitions(topic: Topic, from: number): void {
    for (const log of topic.partitions.splice(from)) log.remove();
    if (from === 0 && this.options.dataDir !== null) {
      rmSync(join(this.options.dataDir, LOGS, topic.id), { recursive: true, force: true });
    }
  }

  get(name: string): Topic | undefined {
    return this.topics.get(name);
  }

  byId(id: string): Topic | undefined {
    return this.ids.get(id);
  }

  partition({ topic, partition }: TopicPartition): PartitionLog | undefined {
    return this.topics.get(topic)?.partitions[partition];
  }

  all(): Topic[] {
    return [...this.topics.values()];
  }

  /** Name and configs must be valid, and the name unused. @throws on disk failures; the topic then does not exist. */
  create(name: string, partitions: number, configs: ReadonlyMap<string, string>): Topic {
    const topic = this.open(name, randomBytes(16).toString('hex'), partitions, configs);
    try {
      this.save([...this.topics.values(), topic]);
    } catch (error) {
      this.removePartitions(topic, 0);
      throw error;
    }
    this.add(topic);
    return topic;
  }

  private add(topic: Topic): void {
    this.topics.set(topic.name, topic);
    this.ids.set(topic.id, topic);
  }

  delete(topic: Topic): void {
    this.save(this.all().filter((other) => other !== topic));
    this.topics.delete(topic.name);
    this.ids.delete(topic.id);
    this.removePartitions(topic, 0);
  }

  addPartitions(topic: Topic, total: number): void {
    const before = topic.partitions.length;
    this.openPartitions(topic, total);
    try {
      this.save(this.topics.values());
    } catch (error) {
      this.removePartitions(topic, before);
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
