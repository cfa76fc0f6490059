/** What is known about brokers and topics. Holds no sockets; `KafkajsWire` feeds it. */
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
   * An answer without brokers, as one in start-up gives, changes nothing. @returns topics that were known and are not
   * any more.
   */
  apply(response: MetadataResponse): string[] {
    if (response.brokers.length === 0) return [];
    const gone: string[] = [];
    this.brokers = response.brokers;
    this.clusterId = response.clusterId;
    this.controllerId = response.controllerId;
    for (const { name, errorCode, partitions } of response.topics) {
      if (errorCode !== 0 || partitions.length === 0) {
        this.failures.set(name, errorCode);
        if (errorName(errorCode) === 'UNKNOWN_TOPIC_OR_PARTITION' && this.topics.delete(name)) gone.push(name);
        continue;
      }
      this.failures.delete(name);
      const known = partitions.map(({ partition, leader, leaderEpoch }) => ({ partition, leader, leaderEpoch }));
      this.topics.set(
        name,
        known.sort((a, b) => a.partition - b.partition),
      );
    }
    return gone;
  }

  nodes(): readonly KnownNode[] {
    return this.brokers;
  }

  node(id: number): KnownNode | undefined {
    return this.brokers.find((broker) => broker.id === id);
  }

  /** A coordinator may be told before the metadata lists its broker. */
  addNode(node: KnownNode): void {
    if (this.node(node.id) === undefined) this.brokers = [...this.brokers, node];
  }

  names(): string[] {
    return [...this.topics.keys()];
  }

  partitions(topic: string): readonly WirePartition[] | undefined {
    return this.topics.get(topic);
  }

  leader(topic: string, partition: number): WirePartition | undefined {
    const partitions = this.topics.get(topic);
    // Partitions are numbered without gaps, except for what a principal may not see.
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
