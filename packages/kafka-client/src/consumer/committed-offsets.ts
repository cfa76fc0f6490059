/**
 * Commits and reads the offsets of a group. Commits are sent one at a time; those that wait become one, with the newest
 * offset of each partition. Source: kafka-client §3.
 */
import type { ConsumerMetrics } from '../client-metrics';
import { KafkaError } from '../errors';
import type { KafkaGroupMember } from '../group/group-member';
import { partitionName } from '../protocol/offset-lookup';
import type { TopicPartition, TopicPartitionOffset } from '../port';
import { call } from '../protocol/api';
import type { PartitionError } from '../protocol/by-topic';
import { protocolError } from '../protocol/protocol-error';
import {
  OFFSET_COMMIT,
  OFFSET_COMMIT_BY_NAME,
  OFFSET_FETCH,
  offsetCommitRequest,
  offsetFetchRequest,
  type CommittedOffset,
} from '../protocol/group-offsets';
import { retrying, type RetryPolicy } from '../retry';
import type { Wire, WirePartition } from '../wire';
import { PendingCommit } from './pending-commit';

/** UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID */
const UNKNOWN_TOPIC: ReadonlySet<number> = new Set([3, 100]);
/** Retriable errors that the right broker returns. */
const FROM_COORDINATOR: ReadonlySet<string> = new Set([
  'UNSTABLE_OFFSET_COMMIT',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'UNKNOWN_TOPIC_ID',
]);

export class CommittedOffsets {
  /** Sent when the request in flight is answered. */
  private next: PendingCommit | null = null;
  /** Ends the retries of the commit in flight, which the next one includes. Null: none is in flight. */
  private inFlight: AbortController | null = null;

  constructor(
    private readonly wire: Wire,
    private readonly member: KafkaGroupMember,
    private readonly groupId: string,
    private readonly policy: RetryPolicy,
    private readonly metrics?: ConsumerMetrics,
  ) {}

  /**
   * Commits under the generation at the time of the call. Fails when that generation has ended. Resolves when these
   * offsets or newer ones are committed, to the partitions whose offsets are dropped, because their topic was deleted.
   * A new topic of that name may exist.
   */
  commit(offsets: readonly CommittedOffset[]): Promise<readonly TopicPartition[]> {
    if (offsets.length === 0) return Promise.resolve([]);
    const { current, identity } = this.member;
    if (current === null) {
      const text = `Cannot commit offsets: this consumer is not a member of group '${this.groupId}'`;
      return Promise.reject(new KafkaError('UNKNOWN_MEMBER_ID', text));
    }
    const commit = new PendingCommit(identity, current.generation, offsets);
    if (this.next !== null) commit.replace(this.next);
    this.next = commit;
    this.inFlight?.abort();
    if (this.inFlight === null) void this.sendAll();
    return commit.done;
  }

  private async sendAll(): Promise<void> {
    for (let commit = this.next; commit !== null; commit = this.next) {
      this.next = null;
      this.inFlight = new AbortController();
      await this.send(commit, this.inFlight.signal);
    }
    this.inFlight = null;
  }

  /** Never rejects. */
  private async send(commit: PendingCommit, superseded: AbortSignal): Promise<void> {
    let failure: unknown;
    const attempt = async (node: number): Promise<void> => {
      if (failure !== undefined && superseded.aborted) throw failure;
      try {
        await this.attemptCommit(node, commit);
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    try {
      await this.atCoordinator(attempt, superseded);
      commit.resolve();
    } catch (error) {
      // The newest offset of each partition is sent. A commit of an ended generation is not.
      if (error instanceof KafkaError && error.retriable && this.next?.replace(commit) === true) return;
      if (error instanceof KafkaError) this.member.reportError(error, commit.generation);
      commit.reject(error);
    }
  }

  /** Partitions that failed are left in `commit`, for the next attempt. */
  private async attemptCommit(node: number, commit: PendingCommit): Promise<void> {
    const { identity, generation } = commit;
    const build = (version: number) => offsetCommitRequest(version, identity, generation, commit.left());
    const began = performance.now();
    const byId = commit.left().every(({ topicId }) => topicId !== undefined);
    const responses = await call(this.wire, node, byId ? OFFSET_COMMIT : OFFSET_COMMIT_BY_NAME, build);
    this.metrics?.committed(performance.now() - began);
    commit.keep(responses.filter(({ errorCode }) => errorCode !== 0));
    const doing = `commit offsets of group '${this.groupId}'`;
    this.throwFirst(
      responses.filter(({ errorCode }) => !UNKNOWN_TOPIC.has(errorCode)),
      doing,
    );
    const unknown = responses.filter(({ errorCode }) => errorCode !== 0);
    if (unknown.length === 0) return;
    commit.drop(await this.withoutTopic(unknown, commit));
    this.throwFirst(
      unknown.filter((tp) => commit.has(tp)),
      doing,
    );
  }

  /** A coordinator may not know a new topic yet; one that no broker knows is gone. */
  private async withoutTopic(unknown: readonly TopicPartition[], commit: PendingCommit): Promise<TopicPartition[]> {
    const topics = [...new Set(unknown.map(({ topic }) => topic))];
    await this.wire.refresh(topics);
    const found = new Map<string, readonly WirePartition[]>();
    for (const topic of topics) {
      const partitions = await this.wire.partitions(topic).catch((error: unknown) => {
        if (error instanceof KafkaError && error.code === 'UNKNOWN_TOPIC_OR_PARTITION') return [];
        throw error;
      });
      found.set(topic, partitions);
    }
    return unknown.filter((at) => {
      const known = found.get(at.topic)?.find(({ partition }) => partition === at.partition);
      const topicId = commit.topicId(at);
      return known === undefined || (topicId !== undefined && known.topicId !== topicId);
    });
  }

  /** Omits partitions without a committed offset. Waits for open transactions that include offsets of the group. */
  committed(partitions: readonly TopicPartition[], signal?: AbortSignal): Promise<TopicPartitionOffset[]> {
    if (partitions.length === 0) return Promise.resolve([]);
    const attempt = async (node: number): Promise<TopicPartitionOffset[]> => {
      const build = (version: number) => offsetFetchRequest(version, this.groupId, partitions, true);
      const { errorCode, offsets } = await call(this.wire, node, OFFSET_FETCH, build);
      const doing = `read committed offsets of group '${this.groupId}'`;
      if (errorCode !== 0) throw protocolError(errorCode, doing);
      this.throwFirst(offsets, doing);
      return offsets
        .filter(({ offset }) => offset >= 0)
        .map(({ topic, partition, offset }) => ({ topic, partition, offset }));
    };
    return this.atCoordinator(attempt, signal);
  }

  private atCoordinator<T>(attempt: (node: number) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const once = async (): Promise<T> => {
      const node = await this.wire.coordinator('group', this.groupId);
      try {
        return await attempt(node);
      } catch (error) {
        const moved = error instanceof KafkaError && error.retriable && !FROM_COORDINATOR.has(error.code);
        if (moved) this.wire.forgetCoordinator('group', this.groupId);
        throw error;
      }
    };
    return retrying(this.policy, once, signal);
  }

  private throwFirst(responses: readonly PartitionError[], doing: string): void {
    const failed = responses.find(({ errorCode }) => errorCode !== 0);
    if (failed === undefined) return;
    const { topic, partition, errorCode } = failed;
    throw protocolError(errorCode, `${doing} (first of ${partitionName(failed)})`, { topic, partition });
  }
}
