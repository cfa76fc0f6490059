/** Cached metadata of brokers and topics. No I/O: `NetworkClient` fetches the metadata. */
import { KafkaError } from '../errors';
import { errorName, protocolError } from '../protocol/protocol-error';
import type { MetadataResponse } from '../protocol/metadata';
import type { WirePartition } from '../wire';

export interface KnownNode {
  readonly id: number;
  readonly host: string;
  readonly port: number;
}

export class TopicMetadata {
  private readonly topics = new Map<string, readonly WirePartition[]>();
  private readonly failures = new Map<string, number>();
  private brokers: readonly KnownNode[] = [];
  clusterId: string | null = null;
  controllerId = -1;

  /**
   * Ignores a response without brokers, which a starting broker sends.
   * @returns the topics that no longer exist.
   */
  apply(response: MetadataResponse): string[] {
    if (response.brokers.length === 0) return [];
    const deleted: string[] = [];
    this.brokers = response.brokers;
    this.clusterId = response.clusterId;
    this.controllerId = response.controllerId;
    for (const { name, id, errorCode, partitions } of response.topics) {
      if (errorCode !== 0 || partitions.length === 0) {
        this.failures.set(name, errorCode);
        if (errorName(errorCode) === 'UNKNOWN_TOPIC_OR_PARTITION' && this.topics.delete(name)) deleted.push(name);
        continue;
      }
      this.failures.delete(name);
      const topicId = id === undefined ? {} : { topicId: id };
      const known = partitions.map(({ partition, leader, leaderEpoch }) => ({
        ...{ partition, leader, leaderEpoch },
        ...topicId,
      }));
      this.topics.set(
        name,
        known.sort((a, b) => a.partition - b.partition),
      );
    }
    return deleted;
  }

  nodes(): readonly KnownNode[] {
    return this.brokers;
  }

  node(id: number): KnownNode | undefined {
    return this.brokers.find((broker) => broker.id === id);
  }

  /**
   * FindCoordinator may return a broker that the metadata does not list yet, or lists at its former address.
   * @returns whether the address was another one.
   */
  place(node: KnownNode): boolean {
    const known = this.node(node.id);
    if (known?.host === node.host && known.port === node.port) return false;
    this.brokers = [...this.brokers.filter(({ id }) => id !== node.id), node];
    return known !== undefined;
  }

  names(): string[] {
    return [...this.topics.keys()];
  }

  partitions(topic: string): readonly WirePartition[] | undefined {
    return this.topics.get(topic);
  }

  leader(topic: string, partition: number): WirePartition | undefined {
    const partitions = this.topics.get(topic);
    // Partition numbers have gaps only where the principal is not authorized.
    const direct = partitions?.[partition];
    return direct?.partition === partition
      ? direct
      : partitions?.find((candidate) => candidate.partition === partition);
  }

  /** Why `partitions(topic)` is undefined. */
  failure(topic: string): KafkaError {
    const code = this.failures.get(topic) ?? 3;
    if (code === 0) {
      return new KafkaError('LEADER_NOT_AVAILABLE', `Topic '${topic}' has no partitions yet`, {
        retriable: true,
        topic,
      });
    }
    return protocolError(code, `find topic '${topic}'`, { topic });
  }
}
