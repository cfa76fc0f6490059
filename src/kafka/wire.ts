/**
 * Inside of `src/kafka` only: what the producer, the consumers and the group member need from the network and protocol
 * layer. Implemented by `network/network-client.ts`.
 */
import type { KafkaError } from './errors';
import type { TopicPartition } from './port';

export interface WirePartition {
  readonly partition: number;
  /** Node id, -1 while there is no leader. */
  readonly leader: number;
  readonly leaderEpoch: number;
}

/**
 * A request of our own: `encode` returns the body after the request header, `decode` gets the body after the response
 * header.
 */
export interface WireRequest<T> {
  readonly apiName: string;
  readonly apiKey: number;
  readonly apiVersion: number;
  /** True for flexible versions (tagged fields in both headers). */
  readonly flexible?: boolean;
  encode(): Buffer;
  decode(body: Buffer): T;
  /** Default: `request.timeout.ms`. */
  readonly timeoutMs?: number;
  /** Asked when its turn has come: an error keeps it from being sent, and is what the request rejects with. */
  readonly refusal?: () => KafkaError | null;
  /** acks=0: no response will come. */
  readonly noResponse?: boolean;
}

export interface Wire {
  /** Bootstraps; rejects with KafkaError CONNECTION_FAILED naming the servers, or the SASL/TLS reason. */
  connect(): Promise<void>;
  readonly clientId: string;
  /**
   * Metadata of these topics, fetched when missing. Throws KafkaError UNKNOWN_TOPIC_OR_PARTITION (retriable) for an
   * unknown one.
   */
  partitions(topic: string, options?: { allowAutoCreate?: boolean }): Promise<readonly WirePartition[]>;
  /** What is cached, or undefined. Never waits. */
  cachedPartitions(topic: string): readonly WirePartition[] | undefined;
  /**
   * Forces a refresh for these topics (at most one request at a time); empty: every topic known here. With
   * `allowAutoCreate` the broker creates those that are missing, where its settings say so.
   */
  refresh(topics?: readonly string[], options?: { allowAutoCreate?: boolean }): Promise<void>;
  /** Names of all topics but Kafka's internal ones, for subscriptions by regular expression. */
  allTopics(): Promise<string[]>;
  leader(tp: TopicPartition): number | undefined;
  /** Highest version both sides support of those wanted, or undefined. */
  version(nodeId: number, apiKey: number, min: number, max: number): Promise<number | undefined>;
  /** Any connected node, for admin requests that any broker answers. */
  anyNode(): Promise<number>;
  controller(): Promise<number>;
  coordinator(type: 'group' | 'transaction', key: string): Promise<number>;
  forgetCoordinator(type: 'group' | 'transaction', key: string): void;
  /**
   * Sends on the node's connection for `lane` (long-polling fetches and joins use lanes of their own so that they do
   * not block others). Network failures reject with a retriable KafkaError CONNECTION_FAILED; error codes inside the
   * response are the caller's.
   */
  send<T>(nodeId: number, request: WireRequest<T>, lane?: string): Promise<T>;
  clusterId(): Promise<string | null>;
  nodes(): readonly { id: number; host: string; port: number }[];
  close(): Promise<void>;
}
