/**
 * `FileStreamSourceConnector`: each line of a file becomes a record. It has one task. Source: connect-runtime §10.9.
 */
import {
  ConnectError,
  type ConnectorConfig,
  type SourceConnector,
  type SourceOffset,
  type SourcePartition,
} from '@millrace/sdk';
import { fileRootProblems } from '../file-root';
import { fileSourceConfig, sourceKeys } from './config';
import { FileStreamSourceTask } from './task';

export const fileStreamSource: SourceConnector = {
  type: 'source',
  config: sourceKeys,
  validate: async (config, settings) => await fileRootProblems(fileSourceConfig(config).file, settings),
  createTask: () => new FileStreamSourceTask(),
  alterOffsets,
  // As long as lines are only appended. Standard input cannot be read again.
  exactlyOnceSupport: (config) => (fileSourceConfig(config).file === null ? 'unsupported' : 'supported'),
};

/**
 * Checks that the source can resume at the offsets that a user sets. Messages are Java's (connect-rest §2.6). Throws
 * ConnectError `FILE_SOURCE_OFFSET`.
 */
function alterOffsets(
  config: ConnectorConfig,
  offsets: readonly (readonly [SourcePartition, SourceOffset | null])[],
): boolean {
  if (fileSourceConfig(config).file === null) {
    throw offsetError(
      "Offsets cannot be modified if the 'file' configuration is unspecified. This is because stdin is used for input and offsets are not tracked.",
    );
  }
  for (const [partition, offset] of offsets as readonly (readonly [SourcePartition | null, SourceOffset | null])[]) {
    // Deleting an offset is always allowed, even with an invalid partition.
    if (offset !== null) checkOffset(partition, offset);
  }
  return true;
}

function checkOffset(partition: SourcePartition | null, offset: SourceOffset): void {
  if (!Object.hasOwn(offset, 'position'))
    throw offsetError("Offset objects should either be null or contain the key 'position'");
  const { position } = offset;
  if (typeof position !== 'bigint' && !Number.isInteger(position))
    throw offsetError("The value for the 'position' key in the offset is expected to be a Long value");
  if (Number(position) < 0)
    throw offsetError("The value for the 'position' key in the offset should be a non-negative value");
  if (partition === null) throw offsetError('Partition objects cannot be null');
  if (!Object.hasOwn(partition, 'filename')) throw offsetError("Partition objects should contain the key 'filename'");
}

function offsetError(message: string): ConnectError {
  return new ConnectError(message, { code: 'FILE_SOURCE_OFFSET' });
}
