/** Commits and reads the offsets of a group. Commits are sent one at a time, in call order. Source: kafka-client §3. */
import type { ConsumerMetrics } from '../../metrics/consumer-metrics';
import { KafkaError } from '../errors';
import type { KafkaGroupMember } from '../group/group-member';
import { partitionName } from '../protocol/offset-lookup';
import type { TopicPartition, TopicPartitionOffset } from '../port';
import { call } from '../protocol/api';
import { protocolError } from '../protocol/protocol-error';
import {
  OFFSET_COMMIT,
  OFFSET_FETCH,
  offsetCommitRequest,
  offsetFetchRequest,
  type PartitionError,
} from '../protocol/group-offsets';
import { retrying, type RetryPolicy } from '../retry';
import type { Wire } from '../wire';

export class CommittedOffsets {
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly wire: Wire,
    private readonly member: KafkaGroupMember,
    private readonly groupId: string,
    private readonly policy: RetryPolicy,
    private readonly metrics?: ConsumerMetrics,
  ) {}

  /** Commits under the generation at the time of the call. Fails when that generation has ended. */
  commit(offsets: readonly TopicPartitionOffset[]): Promise<void> {
    if (offsets.length === 0) return Promise.resolve();
    const { current, identity } = this.member;
    if (current === null) {
      const text = `Cannot commit offsets: this consumer is not a member of group '${this.groupId}'`;
      return Promise.reject(new KafkaError('UNKNOWN_MEMBER_ID', text));
    }
    const { generation } = current;
    const attempt = async (node: number): Promise<void> => {
      const build = (version: number) => offsetCommitRequest(version, identity, generation, offsets);
      const began = performance.now();
      const responses = await call(this.wire, node, OFFSET_COMMIT, build);
      this.metrics?.committed(performance.now() - began);
      this.throwFirst(responses, `commit offsets of group '${this.groupId}'`);
    };
    const sent = this.last.then(() => this.atCoordinator(attempt));
    const reported = sent.catch((error: unknown) => {
      if (error instanceof KafkaError) this.member.reportError(error, generation);
      throw error;
    });
    this.last = reported.catch(() => undefined);
    return reported;
  }

  /** Omits partitions without a committed offset. Waits for open transactions that include offsets of the group. */
  committed(partitions: readonly TopicPartition[]): Promise<TopicPartitionOffset[]> {
    if (partitions.length === 0) return Promise.resolve([]);
    return this.atCoordinator(async (node) => {
      const build = (version: number) => offsetFetchRequest(version, this.groupId, partitions, true);
      const { errorCode, offsets } = await call(this.wire, node, OFFSET_FETCH, build);
      const doing = `read committed offsets of group '${this.groupId}'`;
      if (errorCode !== 0) throw protocolError(errorCode, doing);
      this.throwFirst(offsets, doing);
      return offsets
        .filter(({ offset }) => offset >= 0)
        .map(({ topic, partition, offset }) => ({ topic, partition, offset }));
    });
  }

  private atCoordinator<T>(attempt: (node: number) => Promise<T>): Promise<T> {
    return retrying(this.policy, async () => {
      const node = await this.wire.coordinator('group', this.groupId);
      try {
        return await attempt(node);
      } catch (error) {
        const moved = error instanceof KafkaError && error.retriable && error.code !== 'UNSTABLE_OFFSET_COMMIT';
        if (moved) this.wire.forgetCoordinator('group', this.groupId);
        throw error;
      }
    });
  }

  private throwFirst(responses: readonly PartitionError[], doing: string): void {
    const failed = responses.find(({ errorCode }) => errorCode !== 0);
    if (failed === undefined) return;
    const { topic, partition, errorCode } = failed;
    throw protocolError(errorCode, `${doing} (first of ${partitionName(failed)})`, { topic, partition });
  }
}
