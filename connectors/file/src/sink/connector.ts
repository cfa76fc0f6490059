/** `FileStreamSinkConnector`: appends each record's value as one line to a file. Source: connect-runtime §10.9. */
import type { SinkConnector } from '@millrace/sdk';
import { FileStreamSinkTask } from './task';

export const fileStreamSink: SinkConnector = {
  type: 'sink',
  config: [
    {
      name: 'file',
      type: 'STRING',
      default: null,
      importance: 'HIGH',
      documentation: 'File to append to; created when missing. Without it, lines go to standard output.',
    },
  ],
  createTask: () => new FileStreamSinkTask(),
  // Nothing outside Kafka depends on the offsets.
  alterOffsets: () => true,
};
