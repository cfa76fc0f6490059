/** Settings of the change stream other than its slot and publication (cdc-postgres §1.4, §5.4). */
import { tmpdir } from 'node:os';
import { KEY, type ValueOf } from './definitions';
import type { PatternList } from './patterns';
import type { Settings } from './settings';

export interface StreamConfig {
  /** How the server sends transactions that have not committed. */
  readonly streaming: ValueOf<'pgoutputStreaming'>;
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
  readonly idFormat: ValueOf<'transactionIdFormat'>;
}

export function readStreamConfig(settings: Settings): StreamConfig {
  return {
    streaming: settings.get('pgoutputStreaming'),
    spillFolder: settings.get('pgoutputStreamingDirectory') ?? tmpdir(),
    twoPhase: settings.get('pgoutputTwoPhase'),
    messages: {
      include: settings.patterns('messagePrefixIncludeList'),
      exclude: settings.patterns('messagePrefixExcludeList'),
    },
    transactions: settings.get('provideTransactionMetadata') ? transactionConfig(settings) : null,
    delayMs: settings.get('streamingDelayMs'),
    xminIntervalMs: settings.get('xminFetchIntervalMs'),
  };
}

function transactionConfig(settings: Settings): TransactionConfig {
  const prefix = settings.get('topicPrefix');
  const isOld = settings.get('eventFormat') === '1.2';
  return {
    topic: [prefix, settings.get('topicTransaction')].join(settings.get('topicDelimiter')),
    idFormat: settings.given(KEY.transactionIdFormat) === null && isOld ? 'xid' : settings.get('transactionIdFormat'),
  };
}
