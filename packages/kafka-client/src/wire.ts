/**
 * The network layer as the other parts of the client see it; other packages do not. Implemented by
 * `network/network-client.ts`.
 */
import type { KafkaError } from './errors';
import type { TopicPartition } from './port';

export interface WirePartition {
  readonly partition: number;
  /** Node id, -1 while there is no leader. */
  readonly leader: number;
  readonly leaderEpoch: number;
  /** Differs after the topic was deleted and created again. Absent for brokers before Apache Kafka 2.8. */
  readonly topicId?: string;
}

/** `encode` returns the body after the request header; `decode` receives the body after the response header. */
export interface WireRequest<T> {
  readonly apiName: string;
  readonly apiKey: number;
  readonly apiVersion: number;
  /** The header of the request has tagged fields, as in all flexible versions. */
  readonly flexible?: boolean;
  /** The header of the response has tagged fields. */
  readonly flexibleResponse?: boolean;
  encode(): Buffer;
  decode(body: Buffer): T;
  /** Default: `request.timeout.ms`. */
  readonly timeoutMs?: number;
  /** Called just before sending: an error prevents it, and rejects the request. */
  readonly refusal?: () => KafkaError | null;
  /** acks=0: the broker does not respond. */
  readonly noResponse?: boolean;
}

export interface Wire {
  /** Bootstraps. Rejects with KafkaError CONNECTION_FAILED naming the servers, or with the SASL or TLS error. */
  connect(): Promise<void>;
  readonly clientId: string;
  /**
   * Partitions of a topic, fetched when not cached. Rejects with KafkaError UNKNOWN_TOPIC_OR_PARTITION (retriable) for
   * an unknown topic.
   */
  partitions(topic: string, options?: { allowAutoCreate?: boolean }): Promise<readonly WirePartition[]>;
  /** Cached partitions, or undefined. No I/O. */
  cachedPartitions(topic: string): readonly WirePartition[] | undefined;
  /**
   * Refreshes the metadata of these topics, with at most one request at a time. (Default: all cached topics) With
   * `allowAutoCreate` brokers create missing topics if auto.create.topics.enable is set.
   */
  refresh(topics?: readonly string[], options?: { allowAutoCreate?: boolean }): Promise<void>;
  /** Names of all topics except Kafka's internal ones, for subscriptions by regular expression. */
  allTopics(): Promise<string[]>;
  leader(tp: TopicPartition): number | undefined;
  /** Highest version in this range that the broker supports, or undefined. */
  version(nodeId: number, apiKey: number, min: number, max: number): Promise<number | undefined>;
  /** A connected node, for requests that every broker accepts. */
  anyNode(): Promise<number>;
  controller(): Promise<number>;
  coordinator(type: 'group' | 'transaction', key: string): Promise<number>;
  forgetCoordinator(type: 'group' | 'transaction', key: string): void;
  /**
   * Sends on the node's connection for `lane`. Long-polling fetches and joins have lanes of their own, so that they do
   * not block other requests. Network failures reject with a retriable KafkaError CONNECTION_FAILED; the caller checks
   * the error codes in the response.
   */
  send<T>(nodeId: number, request: WireRequest<T>, lane?: string): Promise<T>;
  clusterId(): Promise<string | null>;
  nodes(): readonly { id: number; host: string; port: number }[];
  close(): Promise<void>;
}
