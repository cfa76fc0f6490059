/** Settings of signals and incremental snapshots (cdc-postgres §1.5). */
import type { ConnectorConfig } from '@millrace/sdk';
import { KEY } from './definitions';
import { splitList } from './patterns';
import type { Settings } from './settings';

export interface SignalConfig {
  /** `schema.table` of the signal table; null: none. */
  readonly table: string | null;
  /** Signals are read from the signal table. */
  readonly source: boolean;
  readonly kafka: { readonly topic: string; readonly consumer: Readonly<Record<string, string>> } | null;
  /** Path of the signal file; null: the channel is off. */
  readonly file: string | null;
  readonly pollIntervalMs: number;
}

export interface IncrementalConfig {
  readonly chunkSize: number;
  /** `insert_delete`: a window is closed by deleting the row that opened it. */
  readonly deletesWatermarks: boolean;
  readonly readOnly: boolean;
  /** Milliseconds that a chunk waits for the lock of its table before it is tried again later. */
  readonly lockTimeoutMs: number;
}

const CHANNELS = ['source', 'kafka', 'file'];
const WITHOUT_JAVA: Readonly<Record<string, string>> = {
  jmx: 'JMX needs a Java VM; use POST /connectors/{name}/signals',
  'in-process': 'it is for Debezium as a library; use POST /connectors/{name}/signals',
};
const CONSUMER = 'signal.consumer.';

export function signalConfig({ get }: Settings, values: ConnectorConfig, prefix: string): SignalConfig {
  const channels = splitList(get('signalEnabledChannels')).map((name) => name.toLowerCase());
  const table = get('signalDataCollection');
  return {
    table,
    source: table !== null && channels.includes('source'),
    kafka: channels.includes('kafka')
      ? {
          topic: get('signalKafkaTopic') ?? `${prefix}-signal`,
          consumer: {
            'auto.offset.reset': 'earliest',
            ...prefixed(values, CONSUMER),
            'bootstrap.servers': get('signalKafkaBootstrapServers') ?? '',
            'group.id': get('signalKafkaGroupId'),
          },
        }
      : null,
    file: channels.includes('file') ? get('signalFile') : null,
    pollIntervalMs: get('signalPollIntervalMs'),
  };
}

export function incrementalConfig({ get }: Settings): IncrementalConfig {
  return {
    chunkSize: get('incrementalSnapshotChunkSize'),
    deletesWatermarks: get('incrementalSnapshotWatermarkingStrategy') === 'insert_delete',
    readOnly: get('readOnly'),
    lockTimeoutMs: get('snapshotLockTimeoutMs'),
  };
}

export function checkSignals(values: ConnectorConfig, complain: (name: string, message: string) => void): void {
  const channels = splitList(values[KEY.signalEnabledChannels] ?? '').map((name) => name.toLowerCase());
  for (const name of channels) {
    const why = WITHOUT_JAVA[name] ?? `use one or more of ${CHANNELS.join(', ')}`;
    if (!CHANNELS.includes(name))
      complain(KEY.signalEnabledChannels, `"${name}" is not a supported signal channel: ${why}`);
  }
  if (channels.includes('kafka') && !values[KEY.signalKafkaBootstrapServers]?.trim())
    complain(KEY.signalKafkaBootstrapServers, 'A value is required, because kafka is one of signal.enabled.channels');
  const table = values[KEY.signalDataCollection]?.trim() ?? '';
  if (table !== '' && table.split('.').length < 2)
    complain(KEY.signalDataCollection, `"${table}" is not the name of a table with its schema, such as public.signals`);
}

function prefixed(values: ConnectorConfig, prefix: string): Record<string, string> {
  const names = Object.keys(values).filter((name) => name.startsWith(prefix));
  return Object.fromEntries(names.map((name) => [name.slice(prefix.length), values[name] ?? '']));
}
