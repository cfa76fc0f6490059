/** Definitions of the settings of the change stream other than its slot and publication. */
import { key, nonNegative, oneOf, patterns, type Definition } from './definition';
import { KEY } from './keys';

export const STREAM_DEFINITIONS: readonly Definition[] = [
  key(
    KEY.replicaIdentityAutosetValues,
    'STRING',
    null,
    'Replica identities that the connector sets at its start, with ALTER TABLE: <pattern>:FULL,<pattern>:INDEX <index>; also DEFAULT and NOTHING. The role must own the tables.',
  ),
  key(
    KEY.internalSlotSeekToKnownOffsetOnStart,
    'BOOLEAN',
    false,
    'true: the same as offset.mismatch.strategy=trust_offset, unless that is set.',
  ),
  key(
    KEY.pgoutputStreaming,
    'STRING',
    'off',
    'on: the server sends large transactions before they commit (PostgreSQL 14 and later), and they are kept in temporary files until then. parallel is the same for this connector. The events do not differ.',
    oneOf('off', 'on', 'parallel'),
  ),
  key(
    KEY.pgoutputStreamingDirectory,
    'STRING',
    null,
    'Folder for the changes of transactions that have not committed. (Default: the temporary folder of the system)',
  ),
  key(
    KEY.pgoutputTwoPhase,
    'BOOLEAN',
    false,
    'true: the server sends a prepared transaction at PREPARE TRANSACTION (PostgreSQL 15 and later). Its events follow at COMMIT PREPARED either way.',
  ),
  key(
    KEY.messagePrefixIncludeList,
    'LIST',
    null,
    'Patterns of the prefixes of logical decoding messages to emit.',
    patterns,
  ),
  key(
    KEY.messagePrefixExcludeList,
    'LIST',
    null,
    'Patterns of the prefixes of logical decoding messages to leave out.',
    patterns,
  ),
  key(
    KEY.provideTransactionMetadata,
    'BOOLEAN',
    false,
    'Numbers the events of each transaction, and sends a record at its begin and at its end.',
  ),
  key(KEY.topicTransaction, 'STRING', 'transaction', 'Topic of these records, after topic.prefix.'),
  key(
    KEY.transactionIdFormat,
    'STRING',
    'debezium3',
    'Ids of transactions in events: debezium3 is <xid>:<position of the event>, xid_commit_lsn is <xid>:<position of the commit> (pgoutput only, otherwise as xid). (Default with event.format=1.2: xid)',
    oneOf('debezium3', 'xid', 'xid_commit_lsn'),
  ),
  key(
    KEY.xminFetchIntervalMs,
    'LONG',
    0,
    'Milliseconds between reads of the catalog_xmin of the slot, for source.xmin; 0 reads it never.',
    nonNegative,
  ),
  key(
    KEY.streamingDelayMs,
    'LONG',
    0,
    'Milliseconds to wait after a snapshot before changes are streamed.',
    nonNegative,
  ),
];
