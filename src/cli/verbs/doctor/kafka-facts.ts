/** What the checks know about Kafka: the cluster, the storage topics and the workers' group. */
import { shellQuote } from '@millrace/cli/terminal';
import type {
  Admin,
  ClusterDescription,
  GroupDescription,
  KafkaClients,
  TopicDescription,
} from '@millrace/kafka-client';
import { settledWithin } from '@millrace/sdk';
import { clientSettings } from '../../../config/client-config';
import type { StorageTopicConfig } from '../../../config/worker-config';
import { workerClients } from '../../../kafka-clients';
import type { Logger } from '../../../logging/logger';
import type { WorkerSetup } from '../../worker/read-config';
import { type Deadline, read, type Read, valueOf } from './deadline';

const STORAGE_KINDS = ['config', 'offset', 'status'] as const;
type StorageKind = (typeof STORAGE_KINDS)[number];

export interface StorageFacts {
  readonly kind: StorageKind;
  readonly wanted: StorageTopicConfig;
  /** Null: the topic does not exist. */
  readonly topic: Read<TopicDescription | null>;
  readonly settings: Read<Readonly<Record<string, string | null>>>;
}

export interface KafkaFacts {
  readonly bootstrapServers: string;
  /** Options with which Kafka's tools reach the cluster. */
  readonly toolOptions: string;
  readonly groupId: string;
  readonly cluster: Read<ClusterDescription>;
  readonly features?: Read<ReadonlyMap<string, number>>;
  /** The other facts are missing if the cluster cannot be reached. */
  readonly storage: readonly StorageFacts[];
  readonly group?: Read<GroupDescription>;
  /** First offset of the config topic that is not written yet. */
  readonly configEnd?: Read<number>;
}

const REQUEST_MS = 8_000;
const CALL_MS = 12_000;
const CLOSE_MS = 2_000;
const TIMEOUTS = {
  'request.timeout.ms': String(REQUEST_MS),
  'default.api.timeout.ms': String(REQUEST_MS),
  'socket.connection.setup.timeout.ms': '4000',
  'socket.connection.setup.timeout.max.ms': '4000',
};

/** Never rejects. */
export async function readKafka(
  { config: { raw, bootstrapServers, groupId, ...config }, file }: Pick<WorkerSetup, 'config' | 'file'>,
  logger: Logger,
  deadline: Deadline,
): Promise<KafkaFacts> {
  const facts = { bootstrapServers, groupId, toolOptions: toolOptions(raw, bootstrapServers, file) };
  let admin: Admin;
  try {
    const clients: KafkaClients = workerClients(logger, config.tokenUrls);
    admin = clients.admin({ 'client.id': 'millrace-doctor', ...clientSettings(raw, 'admin'), ...TIMEOUTS });
  } catch (error) {
    const cluster = await read('The connection', CALL_MS, () => Promise.reject(error as Error));
    return { ...facts, cluster, storage: [] };
  }
  try {
    const cluster = await deadline.read('The connection', CALL_MS, () => admin.describeCluster());
    if ('failed' in cluster) return { ...facts, cluster, storage: [] };
    const [features, storage, group] = await Promise.all([
      deadline.read('The list of features', CALL_MS, () => admin.features()),
      Promise.all(STORAGE_KINDS.map((kind) => readStorage(admin, kind, config[kind], deadline))),
      deadline.read('The description of the group', CALL_MS, () => admin.describeGroup(groupId)),
    ]);
    const hasConfigs = storage.some(({ kind, topic }) => kind === 'config' && valueOf(topic) != null);
    if (!hasConfigs) return { ...facts, cluster, features, storage, group };
    // After the members' offsets, which are then never past it.
    const configEnd = await deadline.read('The end of the config topic', CALL_MS, () =>
      endOf(admin, config.config.topic),
    );
    return { ...facts, cluster, features, storage, group, configEnd };
  } finally {
    await settledWithin(admin.close(), Math.min(CLOSE_MS, deadline.leftMs), undefined);
  }
}

/** A properties file of a worker is one of a client, too, so that no secret is in the command. */
function toolOptions(raw: Readonly<Record<string, string>>, servers: string, file: string | null): string {
  const isSecured = !['', 'PLAINTEXT'].includes((raw['security.protocol'] ?? '').trim().toUpperCase());
  const settings = isSecured && file !== null ? ` --command-config ${shellQuote(file)}` : '';
  return `--bootstrap-server ${shellQuote(servers)}${settings}`;
}

async function readStorage(
  admin: Admin,
  kind: StorageKind,
  wanted: StorageTopicConfig,
  deadline: Deadline,
): Promise<StorageFacts> {
  const topic = await deadline.read(
    'The description of the topic',
    CALL_MS,
    async () => (await admin.describeTopics([wanted.topic]))[0] ?? null,
  );
  // Requests about an unknown topic would be retried.
  if (valueOf(topic) === null) return { kind, wanted, topic, settings: { value: {} } };
  const settings = await deadline.read('The topic settings', CALL_MS, () => admin.topicConfig(wanted.topic));
  return { kind, wanted, topic, settings };
}

async function endOf(admin: Admin, topic: string): Promise<number> {
  const [end] = await admin.listOffsets([{ topic, partition: 0 }], 'latest');
  return end?.offset ?? 0;
}
