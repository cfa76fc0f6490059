/**
 * How the captured tables are distributed to slots, as stored with the offsets. Slots stand at different positions, so
 * a table that moves to another slot would lose changes.
 */
import { ConnectError, type SourceOffset, type SourcePartition, type SourceTaskContext } from '@millrace/sdk';
import type { PostgresConfig } from '../config/postgres-config';
import { sourcePartition } from '../config/slot-part';

/** The `slot` of the source partition that holds the layout. */
export const LAYOUT = 'layout';

interface StoredLayout {
  /** Offset of this task's partition. */
  readonly offset: SourceOffset | null;
  /** Stores the layout, before the first slot is created. Resolves when it is stored. */
  save(): Promise<void>;
}

/** Throws ConnectError `PG_SLOT_LAYOUT` if the offsets were stored with another layout. */
export async function readLayout(
  config: PostgresConfig,
  context: Pick<SourceTaskContext, 'offsets' | 'storeOffset'>,
): Promise<StoredLayout> {
  const { prefix, parallel, part } = config;
  const layoutPartition: SourcePartition = { server: prefix, slot: LAYOUT };
  const partitions = [sourcePartition(config), layoutPartition, { server: prefix }];
  const [offset = null, layout = null, single = null] = await context.offsets.offsets(partitions);
  const stored = typeof layout?.layout === 'string' ? layout.layout : part !== null && single !== null ? '1' : null;
  if (stored !== null && stored !== parallel.layout) throw layoutError(config, stored);
  const save = async (): Promise<void> => {
    if (part !== null && stored === null) await context.storeOffset(layoutPartition, { layout: parallel.layout });
  };
  return { offset, save };
}

function layoutError({ parallel, part, slot }: PostgresConfig, stored: string): ConnectError {
  const count = Number.parseInt(stored, 10);
  const name = part === null ? slot.name : slot.name.slice(0, -`_${part.number}`.length);
  const slots = count === 1 ? `"${name}"` : `"${name}_0" to "${name}_${count - 1}"`;
  const change =
    count === parallel.count
      ? 'with another slot.tables'
      : `with slot.count=${count}, but slot.count is ${parallel.count} now`;
  return new ConnectError(
    `The offsets of this connector were stored ${change}: the slots stand at different positions, so changes of tables that move to another slot would be lost. Restore the setting, or start with a new snapshot: stop the connector, delete its offsets, drop the old slots (${slots}) and resume it.`,
    { code: 'PG_SLOT_LAYOUT', place: { slot: slot.name } },
  );
}
