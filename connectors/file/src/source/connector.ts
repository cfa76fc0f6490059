/** `FileStreamSourceConnector`: each line of a file becomes a record. Always one task. Source: connect-runtime §10.9. */
import type { SourceConnector } from '@millrace/sdk';
import { alterOffsets } from './alter-offsets';
import { sourceKeys } from './config';
import { FileStreamSourceTask } from './task';

export const fileStreamSource: SourceConnector = {
  type: 'source',
  config: sourceKeys,
  createTask: () => new FileStreamSourceTask(),
  alterOffsets,
};
