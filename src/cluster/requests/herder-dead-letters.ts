/** Dead letters of a sink connector, on any worker. */
import type { ConsumerRecord, KafkaClients } from '@millrace/kafka-client';
import { ConnectError, messageOf, timeoutSignal, type ConnectorConfig } from '@millrace/sdk';
import { hideProvidedValues } from '@millrace/texts/redaction';
import { deadLetterTopics } from '../../config/dead-letter-topics';
import type { WorkerConfig } from '../../config/worker-config';
import { failureOf, type Failure } from '../../dead-letters/failure-of';
import { groupKey, letterGroups, outlineOf } from '../../dead-letters/letter-groups';
import type { LetterAt } from '../../dead-letters/letters-at';
import { replayLetters, type ReplayOutcome } from '../../dead-letters/replay-letters';
import { reasonOf, returnedLetters } from '../../dead-letters/returned-letters';
import { shownLetter } from '../../dead-letters/shown-letter';
import { clientsOf } from '../../kafka-clients';
import { newestRecords } from '../../records/newest-records';
import { recordRanges, type RecordRange, type TopicReaders } from '../../records/record-ranges';
import {
  requestClientConfigs,
  type OffsetClientConfigs,
  type WorkerClientSettings,
} from '../../tasks/clients/client-configs';
import { sinkTopics } from '../../tasks/sink/sink-subscription';
import type { DeadLetterGroups, DeadLetterPage, ReplayedLetter } from '../entities';
import { HerderError } from '../errors';
import type { ResolveConfig } from '../resolve-config';
import type { ConnectorPlugins } from '../running/connector-plugins';
import type { HerderReads } from './herder-reads';
import { inTime, isOneCluster, READ_MS, type TopicRequests } from './topic-requests';

export interface HerderDeadLettersOptions {
  readonly reads: Pick<HerderReads, 'connectorInfo'>;
  readonly plugins: Pick<ConnectorPlugins, 'describe'>;
  readonly clients: KafkaClients;
  readonly worker: WorkerClientSettings & Pick<WorkerConfig, 'config' | 'offset' | 'status'>;
  readonly resolve: ResolveConfig;
  readonly requests: TopicRequests;
}

const REPLAY_MS = 60_000;
/** More than are read. */
const MOST_OUTLINES = 5_000;
/** How long a replayed record is watched for failing again. */
const RETURN_MS = 4_000;
/** Characters. */
const MAX_REASON = 4_096;

interface Letters {
  readonly topic: string;
  readonly connector: string;
  /** Resolved. */
  readonly config: ConnectorConfig;
  readonly settings: OffsetClientConfigs;
}

/** What Kafka says may quote the connector's config. */
function hidden(connector: string, message: string): string {
  return hideProvidedValues(message, connector, { words: true });
}

export class HerderDeadLetters {
  constructor(private readonly options: HerderDeadLettersOptions) {}

  /** Those of all reasons, the newest first, of the newest ones in the topic. */
  async groups(connector: string): Promise<DeadLetterGroups> {
    return await this.run(connector, async ({ topic, settings }) => {
      return await this.options.requests.reading(connector, settings, async (readers) => {
        const convert = (partition: number, record: ConsumerRecord) =>
          isOf(connector, failureOf(record.headers)) ? outlineOf(partition, record) : null;
        const request = { topic, limit: MOST_OUTLINES, convert, signal: timeoutSignal(READ_MS) };
        const { total, read, records } = await inTime(newestRecords(readers, request));
        return { topic, total, read, groups: letterGroups(records) };
      });
    });
  }

  /**
   * Without those of other connectors that share the topic.
   * @param group key of a group. (Default: of all)
   */
  async list(connector: string, limit: number, group: string | null = null): Promise<DeadLetterPage> {
    return await this.run(connector, async ({ topic, settings }) => {
      return await this.options.requests.reading(connector, settings, async (readers) => {
        const signal = timeoutSignal(READ_MS);
        const isWanted = (partition: number, record: ConsumerRecord): boolean =>
          isOf(connector, failureOf(record.headers)) &&
          (group === null || groupKey(outlineOf(partition, record)) === group);
        const convert = (partition: number, record: ConsumerRecord) =>
          isWanted(partition, record) ? shownLetter(partition, record) : null;
        const { total, records } = await inTime(newestRecords(readers, { topic, limit, convert, signal }));
        return { topic, total, letters: records };
      });
    });
  }

  /** One for each letter, in their order. At least once. */
  async replay(connector: string, letters: readonly LetterAt[]): Promise<ReplayedLetter[]> {
    return await this.run(connector, async (found) => {
      const { topic, settings } = found;
      return await this.options.requests.reading(connector, settings, async (readers, admin) => {
        const consumed = await consumedTopics(found, admin);
        const before = await recordRanges(admin, topic);
        const producer = clientsOf(this.options.clients, connector).producer(settings.producer);
        let outcomes: ReplayOutcome[];
        try {
          await producer.connect();
          outcomes = await replayLetters(
            { ...readers, producer },
            {
              ...{ topic, letters },
              check: (failure) => this.check(connector, consumed, failure),
              signal: timeoutSignal(REPLAY_MS),
            },
          );
        } finally {
          await producer.close(0);
        }
        const reasons = await returned(found, readers, outcomes, before);
        return outcomes.map(({ error, place }) => ({
          error: error && `${error.code}: ${hidden(connector, error.message)}`,
          failedAgain: (place !== null && reasons.get(place)) || null,
        }));
      });
    });
  }

  private async run<T>(connector: string, use: (letters: Letters) => Promise<T>): Promise<T> {
    try {
      return await this.options.requests.limited(async () => await use(await this.letters(connector)));
    } catch (error) {
      if (error instanceof HerderError) throw error;
      const known = error instanceof ConnectError && error.code in STATUSES ? error : unreadable(connector, error);
      const message = `${known.code}: ${known.message}`;
      throw new HerderError(STATUSES[known.code] as number, message, { cause: error });
    }
  }

  private async letters(connector: string): Promise<Letters> {
    const { reads, plugins, resolve, worker } = this.options;
    const config = await resolve(reads.connectorInfo(connector).config, connector);
    const topics = deadLetterTopics(config, plugins.describe(config)?.deadLetters);
    const topic = topics[0]?.topic;
    if (topic === undefined)
      throw new ConnectError(
        `Connector ${connector} has no dead letter topic: set errors.deadletterqueue.topic.name in its config.`,
        { code: 'DLQ_NONE' },
      );
    const settings = requestClientConfigs(worker, connector, config);
    const written = topics.flatMap((one) => (one.topic === topic && one.servers !== null ? [one.servers] : []));
    if (!isOneCluster(Object.values(settings), written))
      throw new ConnectError(
        `The dead letters of ${connector} are on another Kafka cluster than its records: read and replay them with millrace dlq --config.`,
        { code: 'DLQ_OTHER_CLUSTER' },
      );
    return { topic, connector, config, settings };
  }

  /** Headers are data that anyone who may write to the topic chooses, and the worker may write to more topics. */
  private check(connector: string, consumed: ReadonlySet<string>, failure: Failure): void {
    const { worker } = this.options;
    if (!isOf(connector, failure))
      throw new ConnectError(`The dead letter is of connector ${failure.connector}, not of ${connector}.`, {
        code: 'DLQ_OTHER_CONNECTOR',
      });
    const { topic } = failure;
    const storage = [worker.config.topic, worker.offset.topic, worker.status.topic];
    if (topic !== null && (storage.includes(topic) || !consumed.has(topic)))
      throw new ConnectError(
        `The dead letter names ${topic} as its origin, which ${connector} does not read (any more). If that is right, ` +
          'send it with millrace dlq replay.',
        { code: 'DLQ_FOREIGN_ORIGIN', place: { topic } },
      );
  }
}

function unreadable(connector: string, cause: unknown): ConnectError {
  const message = `The dead letters of ${connector} cannot be read: ${messageOf(cause)}`;
  return new ConnectError(message, { code: 'DLQ_READ', cause });
}

/** HTTP statuses of the errors of a whole request. */
const STATUSES: Readonly<Record<string, number>> = {
  ...{ DLQ_NONE: 404, TOPIC_NOT_FOUND: 404, DLQ_OTHER_CLUSTER: 409, CLIENT_OVERRIDE_REFUSED: 409, DLQ_READ: 500 },
};

/** Letters without the header count: others write none. */
function isOf(connector: string, failure: Failure): boolean {
  return failure.connector === null || failure.connector === connector;
}

/** Why replayed records are dead letters again, by place. They were replayed, even if that cannot be read. */
async function returned(
  { connector, topic }: Letters,
  { consumer }: TopicReaders,
  outcomes: readonly ReplayOutcome[],
  before: readonly RecordRange[],
): Promise<ReadonlyMap<string, string>> {
  const places = new Set(outcomes.flatMap(({ place }) => place ?? []));
  const request = { topic, before, places, signal: timeoutSignal(RETURN_MS) };
  const failures = await returnedLetters(consumer, request).catch(() => new Map<string, Failure>());
  const own = [...failures].filter(([, failure]) => isOf(connector, failure));
  return new Map(own.map(([place, failure]) => [place, hidden(connector, reasonOf(failure)).slice(0, MAX_REASON)]));
}

/** With `topics.regex`, those with committed offsets: an expression could block this thread. */
async function consumedTopics(
  { connector, config, settings }: Letters,
  admin: Pick<ReturnType<KafkaClients['admin']>, 'listGroupOffsets'>,
): Promise<ReadonlySet<string>> {
  const topics = sinkTopics(config);
  if (!(topics instanceof RegExp)) return new Set(topics);
  const group = settings.consumer['group.id'] || `connect-${connector}`;
  return new Set((await admin.listGroupOffsets(group)).map(({ topic }) => topic));
}
