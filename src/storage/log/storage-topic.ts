/** The three storage topics, and how Java's error texts describe them. Source: connect-runtime §1.2. */

/** A topic's part of the worker settings. */
export interface StorageTopicSettings {
  readonly topic: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly topicConfigs: Readonly<Record<string, string>>;
}

export interface StorageTopic {
  readonly name: string;
  /** -1: the broker's default. */
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly configs: Readonly<Record<string, string>>;
  /** The setting that names the topic, for error texts. */
  readonly setting: string;
  /** The data it stores, for error texts. */
  readonly purpose: string;
  readonly singlePartition: boolean;
}

const KINDS = {
  config: { setting: 'config.storage.topic', purpose: 'connector configurations', singlePartition: true },
  offset: { setting: 'offset.storage.topic', purpose: 'source connector offsets', singlePartition: false },
  status: { setting: 'status.storage.topic', purpose: 'connector and task statuses', singlePartition: false },
} as const;

/** The `offsets.storage.topic` of a connector, with the other settings of the worker's topic. */
export function connectorOffsetsTopic(name: string, worker: StorageTopicSettings): StorageTopic {
  return { ...storageTopic('offset', { ...worker, topic: name }), setting: 'offsets.storage.topic' };
}

export function storageTopic(kind: keyof typeof KINDS, config: StorageTopicSettings): StorageTopic {
  const { setting, purpose, singlePartition } = KINDS[kind];
  return {
    name: config.topic,
    partitions: singlePartition ? 1 : config.partitions,
    replicationFactor: config.replicationFactor,
    configs: { ...config.topicConfigs, 'cleanup.policy': 'compact' },
    setting,
    purpose,
    singlePartition,
  };
}
