/** Offsets of sink connectors: those of their consumer groups, by an admin client. Source: connect-runtime §3.8. */
import type { ConnectorConfig, SinkConnector } from '@millrace/sdk';
import { KafkaError, type Admin } from '@millrace/kafka-client';
import type { PartitionOffset } from '../connector-offsets';
import { HerderError } from '../errors';
import type { OffsetChangeSteps } from './offset-change-steps';
import { groupOffsetEntry, sinkOffsetRequest, type GroupOffset } from './sink-offset-request';

export interface SinkGroup {
  readonly admin: Admin;
  readonly groupId: string;
}

export async function sinkOffsets({ admin, groupId }: SinkGroup): Promise<PartitionOffset[]> {
  const found = await admin.listGroupOffsets(groupId);
  return found.map(groupOffsetEntry);
}

export interface SinkOffsetChange {
  readonly plugin: Pick<SinkConnector, 'alterOffsets'>;
  /** Resolved. */
  readonly config: ConnectorConfig;
  /** Null: reset the whole group. */
  readonly entries: readonly PartitionOffset[] | null;
}

/** Resolves to the connector's answer. Changes nothing if it rejects the change, or if an entry is invalid. */
export async function changeSinkOffsets(
  group: SinkGroup,
  { plugin, config, entries }: SinkOffsetChange,
  steps: OffsetChangeSteps,
): Promise<boolean> {
  const changes = entries === null ? await allOffsets(group, steps) : sinkOffsetRequest(entries);
  if (entries !== null) await requirePartitions(group.admin, changes, steps);
  const kind = entries === null ? 'reset' : 'alter';
  const complete = await steps.callAlterOffsets(() =>
    plugin.alterOffsets?.(
      config,
      changes.map(({ topic, partition, offset }) => [{ topic, partition }, offset] as const),
      kind,
    ),
  );
  const change = entries === null ? deleteGroup : alterGroup;
  await steps.change(failedChange(kind, steps.connector), async () => {
    await change(group, changes, steps.connector);
  });
  return complete;
}

async function allOffsets({ admin, groupId }: SinkGroup, steps: OffsetChangeSteps): Promise<GroupOffset[]> {
  const failed = `Failed to list offsets prior to resetting offsets for sink connector ${steps.connector}`;
  try {
    const found = await steps.prepare(failed, async () => await admin.listGroupOffsets(groupId));
    return found.map(({ topic, partition }) => ({ topic, partition, offset: null }));
  } catch (error) {
    throw error instanceof HerderError ? error : new HerderError(500, failed, { cause: error });
  }
}

/** Kafka would reject unknown partitions after changing others. */
async function requirePartitions(
  admin: Admin,
  changes: readonly GroupOffset[],
  steps: OffsetChangeSteps,
): Promise<void> {
  const topics = [...new Set(changes.map(({ topic }) => topic))];
  const failed = failedChange('alter', steps.connector);
  const found = await steps
    .prepare(failed, async () => await admin.describeTopics(topics))
    .catch((error: unknown) => {
      throw error instanceof HerderError ? error : new HerderError(500, failed, { cause: error });
    });
  const counts = new Map(found.map(({ name, partitions }) => [name, partitions.length]));
  for (const { topic, partition } of changes) {
    const count = counts.get(topic) ?? 0;
    if (partition >= 0 && partition < count) continue;
    const reason = count === 0 ? 'there is no such topic' : `the topic has partitions 0 to ${count - 1}`;
    throw new HerderError(
      400,
      `Kafka partition ${topic}-${partition} in the provided offsets does not exist: ${reason}`,
    );
  }
}

async function alterGroup(
  { admin, groupId }: SinkGroup,
  changes: readonly GroupOffset[],
  connector: string,
): Promise<void> {
  const altered = changes.flatMap(({ topic, partition, offset }) =>
    offset === null ? [] : [{ topic, partition, offset }],
  );
  try {
    await admin.alterGroupOffsets(groupId, altered);
    await admin
      .deleteGroupOffsets(
        groupId,
        changes.filter(({ offset }) => offset === null),
      )
      .catch((error: unknown) => {
        // An unknown group has no offsets.
        if (codeOf(error) !== 'GROUP_ID_NOT_FOUND') throw error;
      });
  } catch (error) {
    throw changeError('alter', connector, error);
  }
}

async function deleteGroup({ admin, groupId }: SinkGroup, _: readonly GroupOffset[], connector: string): Promise<void> {
  try {
    await admin.deleteGroup(groupId);
  } catch (error) {
    throw changeError('reset', connector, error);
  }
}

type Verb = 'alter' | 'reset';

function failedChange(verb: Verb, connector: string): string {
  const whose = verb === 'alter' ? 'connector' : 'sink connector';
  return `Failed to ${verb} consumer group offsets for ${whose} ${connector}`;
}

/** Kafka's error codes for a group that still has members. */
const IN_USE = ['UNKNOWN_MEMBER_ID', 'GROUP_SUBSCRIBED_TO_TOPIC', 'NON_EMPTY_GROUP'];

function changeError(verb: Verb, connector: string, cause: unknown): HerderError {
  if (!IN_USE.includes(codeOf(cause))) return new HerderError(500, failedChange(verb, connector), { cause });
  return new HerderError(
    500,
    `Failed to ${verb} consumer group offsets for connector ${connector} either because its tasks haven't stopped completely yet or the ` +
      `connector was resumed before the request to ${verb} its offsets could be successfully completed. If the connector is in a stopped ` +
      `state, this operation can be safely retried. If it doesn't eventually succeed, the Connect cluster may need to be restarted to get ` +
      `rid of the zombie sink tasks.`,
    { cause },
  );
}

function codeOf(error: unknown): string {
  return error instanceof KafkaError ? error.code : '';
}
