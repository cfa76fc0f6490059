/**
 * `FileStreamSinkConnector`: appends each record's value as one line to a file. Sources: connect-runtime §10.9,
 * analytics-sink §9.
 */
import type { SinkConnector } from '@millrace/sdk';
import { sinkKeys, validateSink } from './config';
import { FileStreamSinkTask } from './task';

export const fileStreamSink: SinkConnector = {
  type: 'sink',
  config: sinkKeys,
  validate: validateSink,
  createTask: () => new FileStreamSinkTask(),
  // The connector stores no offsets outside of Kafka.
  alterOffsets: () => true,
};
