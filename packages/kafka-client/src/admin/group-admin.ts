/** Administration of consumer groups: requests go to the group's coordinator. */
import { KafkaError } from '../errors';
import type { GroupDescription, TopicPartition, TopicPartitionOffset } from '../port';
import { call } from '../protocol/api';
import { errorName, protocolError } from '../protocol/protocol-error';
import {
  DELETE_GROUPS,
  deleteGroupRequest,
  DESCRIBE_GROUPS,
  describeGroupRequest,
  LIST_GROUPS,
  listGroupsRequest,
} from '../protocol/groups';
import {
  OFFSET_COMMIT_BY_NAME,
  OFFSET_DELETE,
  OFFSET_FETCH,
  offsetCommitRequest,
  offsetDeleteRequest,
  offsetFetchRequest,
} from '../protocol/group-offsets';
import type { Wire } from '../wire';

export class GroupAdmin {
  constructor(
    private readonly wire: Wire,
    private readonly retry: <T>(attempt: () => Promise<T>) => Promise<T>,
  ) {}

  /** Each broker lists the groups it coordinates. */
  list(): Promise<{ groupId: string; protocolType: string }[]> {
    return this.retry(async () => {
      await this.wire.refresh([]);
      const listFrom = async (node: { id: number }) => {
        const { errorCode, groups } = await call(this.wire, node.id, LIST_GROUPS, listGroupsRequest);
        if (errorCode !== 0) throw protocolError(errorCode, 'list groups');
        return groups;
      };
      const groups = (await Promise.all(this.wire.nodes().map(listFrom))).flat();
      return [...new Map(groups.map((group) => [group.groupId, group])).values()];
    });
  }

  describe(groupId: string): Promise<GroupDescription> {
    return this.atCoordinator(groupId, async (node) => {
      const [response] = await call(this.wire, node, DESCRIBE_GROUPS, (version) =>
        describeGroupRequest(version, groupId),
      );
      if (response === undefined)
        throw new KafkaError('CORRUPT_MESSAGE', `The coordinator's response does not include group '${groupId}'`);
      if (response.errorCode !== 0) throw protocolError(response.errorCode, `describe group '${groupId}'`);
      return response.group;
    });
  }

  offsets(groupId: string): Promise<TopicPartitionOffset[]> {
    return this.atCoordinator(groupId, async (node) => {
      const { errorCode, offsets } = await call(this.wire, node, OFFSET_FETCH, (version) =>
        offsetFetchRequest(version, groupId, null, false),
      );
      if (errorCode !== 0) throw protocolError(errorCode, `list offsets of group '${groupId}'`);
      this.throwFirst(offsets, `list offsets of group '${groupId}'`);
      return offsets
        .filter(({ offset }) => offset >= 0)
        .map(({ topic, partition, offset }) => ({ topic, partition, offset }));
    });
  }

  alterOffsets(groupId: string, offsets: readonly TopicPartitionOffset[]): Promise<void> {
    if (offsets.length === 0) return Promise.resolve();
    return this.atCoordinator(groupId, async (node) => {
      const responses = await call(this.wire, node, OFFSET_COMMIT_BY_NAME, (version) =>
        offsetCommitRequest(version, { groupId, memberId: '', groupInstanceId: null }, -1, offsets),
      );
      this.throwFirst(responses, `alter offsets of group '${groupId}'`);
    });
  }

  deleteOffsets(groupId: string, partitions: readonly TopicPartition[]): Promise<void> {
    if (partitions.length === 0) return Promise.resolve();
    return this.atCoordinator(groupId, async (node) => {
      const response = await call(this.wire, node, OFFSET_DELETE, (version) =>
        offsetDeleteRequest(version, groupId, partitions),
      );
      if (response.errorCode !== 0) throw protocolError(response.errorCode, `delete offsets of group '${groupId}'`);
      this.throwFirst(response.partitions, `delete offsets of group '${groupId}'`);
    });
  }

  delete(groupId: string): Promise<void> {
    return this.atCoordinator(groupId, async (node) => {
      const code = await call(this.wire, node, DELETE_GROUPS, (version) => deleteGroupRequest(version, groupId));
      if (code !== 0 && errorName(code) !== 'GROUP_ID_NOT_FOUND') {
        throw protocolError(code, `delete group '${groupId}'`);
      }
    });
  }

  private atCoordinator<T>(groupId: string, attempt: (node: number) => Promise<T>): Promise<T> {
    return this.retry(async () => {
      const node = await this.wire.coordinator('group', groupId);
      try {
        return await attempt(node);
      } catch (error) {
        if (error instanceof KafkaError && error.retriable) this.wire.forgetCoordinator('group', groupId);
        throw error;
      }
    });
  }

  private throwFirst(
    responses: readonly { topic: string; partition: number; errorCode: number }[],
    doing: string,
  ): void {
    const failed = responses.find((response) => response.errorCode !== 0);
    if (failed !== undefined)
      throw protocolError(failed.errorCode, doing, { topic: failed.topic, partition: failed.partition });
  }
}
