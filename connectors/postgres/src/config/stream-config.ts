/** Settings of the change stream other than its slot and publication (cdc-postgres §1.4, §5.4). */
import { tmpdir } from 'node:os';
import { KEY } from './keys';
import type { PatternList } from './patterns';
import type { Settings } from './settings';

export interface StreamConfig {
  /** How the server sends transactions that have not committed. */
  readonly streaming: 'off' | 'on' | 'parallel';
  /** Folder for the changes of such transactions. */
  readonly spillFolder: string;
  /** The server sends prepared transactions at PREPARE TRANSACTION. */
  readonly twoPhase: boolean;
  /** Prefixes of logical decoding messages. */
  readonly messages: { readonly include: PatternList | null; readonly exclude: PatternList | null };
  /** Null: events are not numbered. */
  readonly transactions: TransactionConfig | null;
  /** Milliseconds between reads of `source.xmin`; 0: never. */
  readonly xminIntervalMs: number;
  /** Milliseconds to wait between snapshot and stream. */
  readonly delayMs: number;
}

export interface TransactionConfig {
  readonly topic: string;
  readonly idFormat: 'debezium3' | 'xid' | 'xid_commit_lsn';
}

export function readStreamConfig(settings: Settings): StreamConfig {
  return {
    streaming: settings.choice(KEY.pgoutputStreaming),
    spillFolder: settings.text(KEY.pgoutputStreamingDirectory) ?? tmpdir(),
    twoPhase: settings.flag(KEY.pgoutputTwoPhase),
    messages: {
      include: settings.patterns(KEY.messagePrefixIncludeList),
      exclude: settings.patterns(KEY.messagePrefixExcludeList),
    },
    transactions: settings.flag(KEY.provideTransactionMetadata) ? transactionConfig(settings) : null,
    delayMs: settings.number(KEY.streamingDelayMs),
    xminIntervalMs: settings.number(KEY.xminFetchIntervalMs),
  };
}

function transactionConfig(settings: Settings): TransactionConfig {
  const prefix = settings.must(KEY.topicPrefix);
  const isOld = settings.choice(KEY.eventFormat) === '1.2';
  return {
    topic: [prefix, settings.must(KEY.topicTransaction)].join(settings.must(KEY.topicDelimiter)),
    idFormat:
      settings.given(KEY.transactionIdFormat) === null && isOld ? 'xid' : settings.choice(KEY.transactionIdFormat),
  };
}
