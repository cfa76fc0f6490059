/**
 * `FileStreamSourceConnector`: each line of a file becomes a record. It has one task. Source: connect-runtime §10.9.
 */
import type { SourceConnector } from '@millrace/sdk';
import { fileRootProblems } from '../file-root';
import { alterOffsets } from './alter-offsets';
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
