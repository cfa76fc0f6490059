/** Reads, alters and resets offsets of source connectors in the offsets topic. Source: connect-runtime §3.8. */
import type { ConnectorConfig, SourceConnector, SourceOffset, SourcePartition } from '@millrace/sdk';
import { plainValue, type JsonObject } from '../../storage/connect-json';
import { partitionIdentity, requirePrimitives } from '../../storage/offsets/offset-keys';
import type { SourceOffsets } from '../../storage/offsets/offset-store';
import type { PartitionOffset } from '../connector-offsets';
import type { OffsetChangeSteps } from './offset-change-steps';

/**
 * Partitions stay as they are, since `1` and `1.0` are different partitions. Offsets are converted to what the
 * connector reads and would write itself: a whole number is an integer.
 */
type Change = readonly [JsonObject | null, SourceOffset | null];

/** Unreadable offsets count as missing, as they do for the connector. */
export async function sourceOffsets(offsets: SourceOffsets, connector: string): Promise<PartitionOffset[]> {
  const listed = await offsets.list(connector);
  return listed.flatMap(([partition, offset]) => (offset === null ? [] : [{ partition, offset }]));
}

export interface SourceOffsetChange {
  readonly plugin: Pick<SourceConnector, 'alterOffsets' | 'partitionOrder'>;
  /** Resolved. */
  readonly config: ConnectorConfig;
  /** Null: reset all stored offsets. */
  readonly entries: readonly PartitionOffset[] | null;
}

/** Resolves to the connector's answer. Writes nothing if it rejects the change, or if an entry cannot be written. */
export async function changeSourceOffsets(
  offsets: Pick<SourceOffsets, 'list' | 'setPartitionOrder' | 'write'>,
  { plugin, config, entries }: SourceOffsetChange,
  steps: OffsetChangeSteps,
): Promise<boolean> {
  const { connector } = steps;
  // Also to alter offsets: a partition is written under its existing keys.
  const stored = await steps.prepare(
    `Timed out while trying to read to the end of the offsets topic prior to modifying offsets for source connector ${connector}`,
    async () => await offsets.list(connector),
  );
  const changes =
    entries === null ? stored.map(([partition]): Change => [partition, null]) : lastOfEachPartition(entries);
  const complete = await steps.callAlterOffsets(() =>
    plugin.alterOffsets?.(config, changes.map(plain), entries === null ? 'reset' : 'alter'),
  );
  if (changes.length === 0) return complete;
  offsets.setPartitionOrder(connector, plugin.partitionOrder ?? 'hash-map');
  await steps.change(
    `Timed out while attempting to modify offsets for source connector ${connector}`,
    async () => await offsets.write(connector, changes),
  );
  return complete;
}

function lastOfEachPartition(entries: readonly PartitionOffset[]): Change[] {
  const found = new Map<string, Change>();
  for (const { partition, offset } of entries)
    found.set(partitionIdentity(partition), [partition, offset && (plainValue(offset) as SourceOffset)]);
  // Checked before the connector is called, whose error would be different.
  for (const change of found.values()) requirePrimitives(...change);
  return [...found.values()];
}

function plain([partition, offset]: Change): readonly [SourcePartition | null, SourceOffset | null] {
  return [partition && (plainValue(partition) as SourcePartition), offset];
}
