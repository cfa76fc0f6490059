/**
 * The stored offsets of one run of a task. An exactly-once task reads them from the topic that its transactions write
 * to, to its end: the one that its own config names, even if a newer config of the connector names another already.
 */
import type { SourcePartition } from '@millrace/sdk';
import type { NewOffsets, OffsetRecords, OffsetStorage, StoredOffsets, TaskSpec } from './host';

export interface TaskOffsets {
  read(partitions: readonly SourcePartition[]): Promise<StoredOffsets>;
  write(offsets: NewOffsets): Promise<void>;
  encode(offsets: NewOffsets): Promise<OffsetRecords>;
  copy(offsets: NewOffsets): Promise<void>;
}

export function taskOffsets(
  { id: { connector }, exactlyOnce, connectorConfig }: Pick<TaskSpec, 'id' | 'exactlyOnce' | 'connectorConfig'>,
  storage: OffsetStorage,
): TaskOffsets {
  const config = exactlyOnce ? connectorConfig : undefined;
  return {
    read: async (partitions) => await storage.read(connector, partitions, config),
    write: async (offsets) => await storage.write(connector, offsets),
    encode: async (offsets) => await storage.encode(connector, offsets, config),
    copy: async (offsets) => await storage.copy(connector, offsets, config),
  };
}
