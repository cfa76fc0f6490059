/**
 * Whether offsets that a user sets are some the file source can go on from; texts are Java's. Source: connect-rest
 * §2.6.
 */
import { ConnectError, type ConnectorConfig, type SourceOffset, type SourcePartition } from '@millrace/sdk';
import { fileSourceConfig } from './config';

/** Throws ConnectError `FILE_SOURCE_OFFSET`. */
export function alterOffsets(
  config: ConnectorConfig,
  offsets: readonly (readonly [SourcePartition, SourceOffset | null])[],
): boolean {
  if (fileSourceConfig(config).file === null) {
    throw refused(
      "Offsets cannot be modified if the 'file' configuration is unspecified. This is because stdin is used for input and offsets are not tracked.",
    );
  }
  for (const [partition, offset] of offsets as readonly (readonly [SourcePartition | null, SourceOffset | null])[]) {
    // Forgetting is always fine, also what never made sense.
    if (offset !== null) checkOffset(partition, offset);
  }
  return true;
}

function checkOffset(partition: SourcePartition | null, offset: SourceOffset): void {
  if (!Object.hasOwn(offset, 'position'))
    throw refused("Offset objects should either be null or contain the key 'position'");
  const { position } = offset;
  if (typeof position !== 'bigint' && !Number.isInteger(position))
    throw refused("The value for the 'position' key in the offset is expected to be a Long value");
  if (Number(position) < 0)
    throw refused("The value for the 'position' key in the offset should be a non-negative value");
  if (partition === null) throw refused('Partition objects cannot be null');
  if (!Object.hasOwn(partition, 'filename')) throw refused("Partition objects should contain the key 'filename'");
}

function refused(message: string): ConnectError {
  return new ConnectError(message, { code: 'FILE_SOURCE_OFFSET' });
}
