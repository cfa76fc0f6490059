/** The three storage topics and what Java says about each. Source: connect-runtime §1.2. */

/** What the worker's settings say about a topic. */
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
  /** What a wrong topic would lose, for error texts. */
  readonly purpose: string;
  readonly singlePartition: boolean;
}

const KINDS = {
  config: { setting: 'config.storage.topic', purpose: 'connector configurations', singlePartition: true },
  offset: { setting: 'offset.storage.topic', purpose: 'source connector offsets', singlePartition: false },
  status: { setting: 'status.storage.topic', purpose: 'connector and task statuses', singlePartition: false },
} as const;

/** The `offsets.storage.topic` of a connector: made as the worker's is. */
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
