/** Definitions of the settings of the change stream, other than its slot and publication, and of metrics. */
import { key, nonNegative, oneOf, patterns } from './definition';

export const STREAM_DEFINITIONS = {
  replicaIdentityAutosetValues: key(
    'replica.identity.autoset.values',
    'STRING',
    null,
    'Replica identities that the connector sets at its start, with ALTER TABLE: <pattern>:FULL,<pattern>:INDEX <index>; also DEFAULT and NOTHING. The role must own the tables.',
  ),
  internalSlotSeekToKnownOffsetOnStart: key(
    'internal.slot.seek.to.known.offset.on.start',
    'BOOLEAN',
    false,
    'true: the same as offset.mismatch.strategy=trust_offset, unless that is set.',
  ),
  pgoutputStreaming: key(
    'pgoutput.streaming',
    'STRING',
    'off',
    'on: the server sends large transactions before they commit (PostgreSQL 14 and later), and they are kept in temporary files until then. parallel is the same for this connector. The events do not differ.',
    oneOf('off', 'on', 'parallel'),
  ),
  pgoutputStreamingDirectory: key(
    'pgoutput.streaming.directory',
    'STRING',
    null,
    'Folder for the changes of transactions that have not committed. (Default: the temporary folder of the system)',
  ),
  pgoutputTwoPhase: key(
    'pgoutput.two.phase',
    'BOOLEAN',
    false,
    'true: the server sends a prepared transaction at PREPARE TRANSACTION (PostgreSQL 15 and later). Its events follow at COMMIT PREPARED either way.',
  ),
  messagePrefixIncludeList: key(
    'message.prefix.include.list',
    'LIST',
    null,
    'Patterns of the prefixes of logical decoding messages to emit.',
    patterns,
  ),
  messagePrefixExcludeList: key(
    'message.prefix.exclude.list',
    'LIST',
    null,
    'Patterns of the prefixes of logical decoding messages to leave out.',
    patterns,
  ),
  provideTransactionMetadata: key(
    'provide.transaction.metadata',
    'BOOLEAN',
    false,
    'Numbers the events of each transaction, and sends a record at its begin and at its end.',
  ),
  topicTransaction: key('topic.transaction', 'STRING', 'transaction', 'Topic of these records, after topic.prefix.'),
  transactionIdFormat: key(
    'transaction.id.format',
    'STRING',
    'debezium3',
    'Ids of transactions in events: debezium3 is <xid>:<position of the event>, xid_commit_lsn is <xid>:<position of the commit> (pgoutput only, otherwise as xid). (Default with event.format=1.2: xid)',
    oneOf('debezium3', 'xid', 'xid_commit_lsn'),
  ),
  xminFetchIntervalMs: key(
    'xmin.fetch.interval.ms',
    'LONG',
    0,
    'Milliseconds between reads of the catalog_xmin of the slot, for source.xmin; 0 reads it never.',
    nonNegative,
  ),
  streamingDelayMs: key(
    'streaming.delay.ms',
    'LONG',
    0,
    'Milliseconds to wait after a snapshot before changes are streamed.',
    nonNegative,
  ),

  slotRetainedWalWarnBytes: key(
    'slot.retained.wal.warn.bytes',
    'LONG',
    null,
    'Logs a warning when the server retains this many bytes of WAL for the slot; 0: never. (Default: three quarters of max_slot_wal_keep_size of the server, or 10 GiB if that is unlimited)',
    nonNegative,
  ),
  customMetricTags: key(
    'custom.metric.tags',
    'LIST',
    null,
    'Labels of all metrics of the connector: <name>=<value>,<name>=<value>.',
  ),
  statisticsMetricsEnabled: key(
    'statistics.metrics.enabled',
    'BOOLEAN',
    true,
    'Adds minimum, maximum, average and percentiles of the lag to the metrics.',
  ),
};
