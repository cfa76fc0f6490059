/** Definitions of the settings of signals and incremental snapshots. */
import { key, oneOf, positive } from './definition';

export const SIGNAL_DEFINITIONS = {
  signalDataCollection: key(
    'signal.data.collection',
    'LIST',
    null,
    'Signal table, as schema.table. It is captured in addition to the include lists.',
  ),
  signalEnabledChannels: key(
    'signal.enabled.channels',
    'LIST',
    'source',
    'Where signals are read from: source (the signal table), kafka, file. Signals over REST are always accepted.',
  ),
  signalPollIntervalMs: key(
    'signal.poll.interval.ms',
    'LONG',
    5000,
    'Milliseconds between reads of the kafka and file channels.',
    positive,
  ),
  signalKafkaTopic: key(
    'signal.kafka.topic',
    'STRING',
    null,
    'Topic of the kafka channel, with one partition. (Default: <topic.prefix>-signal)',
  ),
  signalKafkaBootstrapServers: key(
    'signal.kafka.bootstrap.servers',
    'STRING',
    null,
    'Brokers of the kafka channel; further client settings as signal.consumer.<setting>.',
  ),
  signalKafkaGroupId: key(
    'signal.kafka.groupId',
    'STRING',
    'kafka-signal',
    'Group under which the kafka channel commits its offsets. Connectors with the same signal.kafka.topic need a group each: a connector skips the signals that another one has committed.',
  ),
  signalFile: key(
    'signal.file',
    'STRING',
    'file-signals.txt',
    'File of the file channel; each line is a signal. It is emptied when they are applied.',
  ),
  incrementalSnapshotChunkSize: key(
    'incremental.snapshot.chunk.size',
    'INT',
    1024,
    'Maximum number of rows that an incremental snapshot reads at once.',
    positive,
  ),
  incrementalSnapshotWatermarkingStrategy: key(
    'incremental.snapshot.watermarking.strategy',
    'STRING',
    'INSERT_INSERT',
    'How rows of the signal table mark a chunk: insert_insert inserts one before and one after it, insert_delete deletes the first again.',
    oneOf('insert_delete', 'insert_insert'),
  ),
  readOnly: key(
    'read.only',
    'BOOLEAN',
    false,
    'Incremental snapshots write nothing to the database: positions in the WAL mark their chunks.',
  ),
};
