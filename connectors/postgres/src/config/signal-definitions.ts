/** Definitions of the settings of signals and incremental snapshots. */
import { key, oneOf, positive, type Definition } from './definition';
import { KEY } from './keys';

export const SIGNAL_DEFINITIONS: readonly Definition[] = [
  key(
    KEY.signalDataCollection,
    'LIST',
    null,
    'Signal table, as schema.table. It is captured in addition to the include lists.',
  ),
  key(
    KEY.signalEnabledChannels,
    'LIST',
    'source',
    'Where signals are read from: source (the signal table), kafka, file. Signals over REST are always accepted.',
  ),
  key(KEY.signalPollIntervalMs, 'LONG', 5000, 'Milliseconds between reads of the kafka and file channels.', positive),
  key(
    KEY.signalKafkaTopic,
    'STRING',
    null,
    'Topic of the kafka channel, with one partition. (Default: <topic.prefix>-signal)',
  ),
  key(
    KEY.signalKafkaBootstrapServers,
    'STRING',
    null,
    'Brokers of the kafka channel; further client settings as signal.consumer.<setting>.',
  ),
  key(
    KEY.signalKafkaGroupId,
    'STRING',
    'kafka-signal',
    'Group under which the kafka channel commits its offsets. Connectors with the same signal.kafka.topic need a group each: a connector skips the signals that another one has committed.',
  ),
  key(
    KEY.signalFile,
    'STRING',
    'file-signals.txt',
    'File of the file channel; each line is a signal. It is emptied when they are applied.',
  ),
  key(
    KEY.incrementalSnapshotChunkSize,
    'INT',
    1024,
    'Maximum number of rows that an incremental snapshot reads at once.',
    positive,
  ),
  key(
    KEY.incrementalSnapshotWatermarkingStrategy,
    'STRING',
    'INSERT_INSERT',
    'How rows of the signal table mark a chunk: insert_insert inserts one before and one after it, insert_delete deletes the first again.',
    oneOf('insert_delete', 'insert_insert'),
  ),
  key(
    KEY.readOnly,
    'BOOLEAN',
    false,
    'Incremental snapshots write nothing to the database: positions in the WAL mark their chunks.',
  ),
];
