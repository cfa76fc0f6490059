/**
 * The newest records of a connector's topics, through its converters, on any worker. No other topic is read: callers
 * may see what the connector moves, and not what else the worker's principal may read.
 */
import type { ConsumerRecord } from '@millrace/kafka-client';
import { ConnectError, messageOf, timeoutSignal, withDeadline, type ConnectorConfig } from '@millrace/sdk';
import { hideProvidedValues } from '@millrace/texts/redaction';
import { deadLetterTopics } from '../../config/dead-letter-topics';
import type { WorkerConfig } from '../../config/worker-config';
import type { PluginHost } from '../../plugin-host/host';
import { newestRecords } from '../../records/newest-records';
import { bytesTexts, isConvertible, type RecordBytes, type RecordTexts } from '../../records/record-texts';
import { requestClientConfigs, type WorkerClientSettings } from '../../tasks/clients/client-configs';
import { sinkTopics } from '../../tasks/sink/sink-subscription';
import type { TopicRecordsPage } from '../entities';
import { HerderError } from '../errors';
import type { ResolveConfig } from '../resolve-config';
import type { ConnectorPlugins } from '../running/connector-plugins';
import type { HerderReads } from './herder-reads';
import { inTime, isOneCluster, READ_MS, type TopicRequests } from './topic-requests';

export interface HerderRecordsOptions {
  readonly reads: Pick<HerderReads, 'connectorInfo'>;
  readonly plugins: Pick<ConnectorPlugins, 'describe'>;
  readonly pluginHost: Pick<PluginHost, 'recordTexts'>;
  /** Topics that the connector's tasks have used; none if they are not tracked. */
  readonly activeTopics: (connector: string) => readonly string[];
  readonly worker: WorkerClientSettings & Pick<WorkerConfig, 'config' | 'offset' | 'status'>;
  readonly resolve: ResolveConfig;
  readonly requests: TopicRequests;
}

/** A converter that hangs in its thread. */
const CONVERT_MS = 8_000;
/** What converters need of a config. */
const OF_CONVERTERS = /^(?:connector\.class$|(?:key|value|header)\.converter(?:$|\.))/;

interface Found {
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
  /** Null: `texts` is complete. */
  readonly bytes: RecordBytes | null;
  readonly texts: RecordTexts | null;
}

export class HerderRecords {
  constructor(private readonly options: HerderRecordsOptions) {}

  /** Topics whose records `newest` returns, in the order of the config; of unresolved placeholders none. */
  topics(connector: string): readonly string[] {
    const { config, type } = this.options.reads.connectorInfo(connector);
    return this.used(connector, type, config).filter((topic) => !topic.includes('${'));
  }

  /** The newest first. Commits no offsets. */
  async newest(connector: string, topic: string, limit: number): Promise<TopicRecordsPage> {
    const { reads, resolve, requests, worker } = this.options;
    const { config: raw, type } = reads.connectorInfo(connector);
    try {
      return await requests.limited(async () => {
        const config = await resolve(raw, connector);
        if (!this.used(connector, type, config).includes(topic)) throw foreign(connector, topic);
        const settings = requestClientConfigs(worker, connector, config);
        if (!isOneCluster(Object.values(settings)))
          throw new ConnectError(
            `The clients of ${connector} use different Kafka clusters: read the topic with millrace consume --config.`,
            { code: 'RECORDS_OTHER_CLUSTER', place: { topic } },
          );
        const found = await requests.reading(connector, settings, async (readers) => {
          const request = { topic, limit, convert: copied(topic), signal: timeoutSignal(READ_MS) };
          return await inTime(newestRecords(readers, request));
        });
        return { topic, total: found.total, records: await this.converted(config, found.records) };
      });
    } catch (error) {
      if (error instanceof HerderError) throw error;
      if (error instanceof ConnectError && error.code in STATUSES)
        throw new HerderError(STATUSES[error.code] as number, `${error.code}: ${error.message}`, { cause: error });
      const reason = hideProvidedValues(messageOf(error), connector, { words: true });
      throw new HerderError(500, `RECORDS_READ: The records of ${topic} cannot be read: ${reason}`, { cause: error });
    }
  }

  private used(connector: string, type: string, config: ConnectorConfig): readonly string[] {
    const { activeTopics, plugins, worker } = this.options;
    const letters = deadLetterTopics(config, plugins.describe(config)?.deadLetters);
    const moved = type === 'sink' ? subscribed(config, () => activeTopics(connector)) : activeTopics(connector);
    // They hold the configs of all connectors, with their secrets.
    const storage = [worker.config.topic, worker.offset.topic, worker.status.topic];
    const all = [...moved, ...letters.flatMap(({ topic, servers }) => (servers === null ? [topic] : []))];
    return [...new Set(all)].filter((topic) => !storage.includes(topic));
  }

  private async converted(config: ConnectorConfig, found: readonly Found[]): Promise<TopicRecordsPage['records']> {
    const ofConverters = Object.fromEntries(Object.entries(config).filter(([key]) => OF_CONVERTERS.test(key)));
    const bytes = found.flatMap((record) => record.bytes ?? []);
    const texts =
      bytes.length === 0
        ? []
        : await withDeadline(
            this.options.pluginHost.recordTexts(ofConverters, bytes),
            CONVERT_MS,
            () => new Error(`the converters did not answer within ${CONVERT_MS / 1_000} s`),
          );
    const next = texts[Symbol.iterator]();
    return found.map(({ partition, offset, timestamp, texts: own }) => ({
      ...{ partition, offset: String(offset), at: timestamp < 0 ? null : timestamp },
      ...(own ?? (next.next().value as RecordTexts)),
    }));
  }
}

/** HTTP statuses of the errors of a whole request. */
const STATUSES: Readonly<Record<string, number>> = {
  ...{ RECORDS_TOPIC: 404, TOPIC_NOT_FOUND: 404, RECORDS_OTHER_CLUSTER: 409, CLIENT_OVERRIDE_REFUSED: 409 },
};

/** With `topics.regex`, those that were read: an expression could block this thread. */
function subscribed(config: ConnectorConfig, active: () => readonly string[]): readonly string[] {
  try {
    const topics = sinkTopics(config);
    return topics instanceof RegExp ? active() : topics;
  } catch {
    return [];
  }
}

function foreign(connector: string, topic: string): ConnectError {
  return new ConnectError(
    `Connector ${connector} has not used topic ${topic}: choose one of its topics, or read it with millrace consume.`,
    { code: 'RECORDS_TOPIC', place: { topic } },
  );
}

/** The buffers of records are used again. */
function copied(topic: string): (partition: number, record: ConsumerRecord) => Found {
  const copy = (bytes: Uint8Array | null): Uint8Array | null => bytes && Uint8Array.from(bytes);
  return (partition, { offset, timestamp, key, value, headers }) => {
    const place = { partition, offset, timestamp };
    const bytes = { topic, key, value, headers };
    if (!isConvertible(bytes)) return { ...place, bytes: null, texts: bytesTexts(bytes) };
    const copies = headers.map((header) => ({ key: header.key, value: copy(header.value) }));
    return { ...place, bytes: { topic, key: copy(key), value: copy(value), headers: copies }, texts: null };
  };
}
