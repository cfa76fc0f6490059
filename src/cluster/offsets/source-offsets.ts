/** Offsets of source connectors: read, altered, reset in the offsets topic. Source: connect-runtime §3.8. */
import type { ConnectorConfig, SourceConnector, SourceOffset, SourcePartition } from '@millrace/sdk';
import { plainValue, type JsonObject } from '../../storage/json-values';
import { partitionIdentity, requirePrimitives } from '../../storage/offset-keys';
import type { SourceOffsets } from '../../storage/offset-store';
import type { PartitionOffset } from '../connector-offsets';
import type { OffsetChangeSteps } from './offset-change-steps';

/**
 * Partitions stay as they are, since `1` and `1.0` are different ones. Offsets become what the connector sees and would
 * write itself: a whole number is an integer.
 */
type Change = readonly [JsonObject | null, SourceOffset | null];

/** What can not be read counts as missing, as it does for the connector. */
export async function sourceOffsets(offsets: SourceOffsets, connector: string): Promise<PartitionOffset[]> {
  const listed = await offsets.list(connector);
  return listed.flatMap(([partition, offset]) => (offset === null ? [] : [{ partition, offset }]));
}

export interface SourceOffsetChange {
  readonly plugin: Pick<SourceConnector, 'alterOffsets' | 'partitionOrder'>;
  /** Resolved. */
  readonly config: ConnectorConfig;
  /** Null: reset everything that is stored. */
  readonly entries: readonly PartitionOffset[] | null;
}

/** Resolves to what the connector said. Nothing is written when it refuses, or when one entry can not be written. */
export async function changeSourceOffsets(
  offsets: SourceOffsets,
  { plugin, config, entries }: SourceOffsetChange,
  steps: OffsetChangeSteps,
): Promise<boolean> {
  const { connector } = steps;
  // Also for an alteration: a partition is written under the keys it has.
  const stored = await steps.prepare(
    `Timed out while trying to read to the end of the offsets topic prior to modifying offsets for source connector ${connector}`,
    async () => await offsets.list(connector),
  );
  const changes = entries === null ? stored.map(([partition]): Change => [partition, null]) : lastOfEach(entries);
  const complete = await steps.askConnector(() => plugin.alterOffsets?.(config, changes.map(plain)));
  if (changes.length === 0) return complete;
  offsets.setPartitionOrder(connector, plugin.partitionOrder ?? 'hash-map');
  await steps.change(
    `Timed out while attempting to modify offsets for source connector ${connector}`,
    async () => await offsets.write(connector, changes),
  );
  return complete;
}

function lastOfEach(entries: readonly PartitionOffset[]): Change[] {
  const found = new Map<string, Change>();
  for (const { partition, offset } of entries)
    found.set(partitionIdentity(partition), [partition, offset && (plainValue(offset) as SourceOffset)]);
  // Before the connector is asked, whose words for it would be others.
  for (const change of found.values()) requirePrimitives(...change);
  return [...found.values()];
}

function plain([partition, offset]: Change): readonly [SourcePartition | null, SourceOffset | null] {
  return [partition && (plainValue(partition) as SourcePartition), offset];
}
