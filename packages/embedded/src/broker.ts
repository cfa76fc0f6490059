/** Composition of the broker: storage, the modules that answer requests, the listener, and the faults between them. */
import type { TlsOptions } from 'node:tls';
import { openCoordinators, type CoordinatorSettings } from './coordinators';
import { claimDataFolder } from './data-folder';
import { fetchHandlers } from './data/fetch';
import { offsetHandlers } from './data/offsets';
import { produceHandlers } from './data/produce';
import { FaultPlan, type Faults } from './faults/faults';
import { withFaults } from './faults/with-faults';
import type { Handler } from './handler';
import { controlBatch } from './log/batch';
import { Housekeeping } from './log/housekeeping';
import type { Dispatch } from './network/connection';
import { MemoryBudget } from './network/memory';
import { listen } from './network/server';
import type { BrokerServices, Partitions } from './ports';
import { API_VERSIONS, SASL_AUTHENTICATE, SASL_HANDSHAKE } from './protocol/apis/connection';
import { APIS } from './protocol/apis';
import { ErrorCode } from './protocol/errors';
import type { RequestOf } from './protocol/layout';
import { answerAuthenticate, answerHandshake, refuseAuthenticate, refuseHandshake } from './security/sasl';
import { BrokerStartError } from './start-error';
import { answeringDiskTrouble } from './storage-errors';
import { clusterHandlers } from './topics/cluster-handlers';
import { configHandlers } from './topics/config-handlers';
import { inspectionHandlers } from './topics/inspection-handlers';
import { TopicRegistry } from './topics/registry';
import { topicHandlers } from './topics/topic-handlers';
import { PartitionTransactions } from './transactions/transaction-index';

export interface EmbeddedBrokerOptions {
  /** Address to listen on and to tell clients; default 127.0.0.1. */
  readonly host?: string;
  /** What clients are told to connect to, when it is not `host`. */
  readonly advertisedHost?: string;
  /** Default 0: any free one. */
  readonly port?: number;
  /** Where topics, offsets and transactions are kept. Without it, everything is in memory. */
  readonly dataDir?: string;
  /** True: in memory, whatever `dataDir` says. */
  readonly memory?: boolean;
  /**
   * `always`: an acknowledged record is on the disk. `never` (default): it is with the operating system, so it survives
   * the death of the process, but not a power cut.
   */
  readonly fsync?: 'always' | 'never';
  /** Topics come into being when a client asks for them by name; default true. */
  readonly autoCreateTopics?: boolean;
  /** Of topics created without a number; default 1. */
  readonly defaultPartitions?: number;
  /** All listeners speak TLS with it; `{ key, cert }` in PEM. */
  readonly tls?: TlsOptions;
  /** User name → password: clients must authenticate with SASL PLAIN. */
  readonly users?: Readonly<Record<string, string>>;
  /** Of one request; default 100 MiB, as Apache Kafka's `socket.request.max.bytes`. */
  readonly maxRequestBytes?: number;
  /**
   * Milliseconds after which a connection without a request is closed, or one that takes so long to send one or to take
   * a response; default 10 minutes.
   */
  readonly maxIdleMs?: number;
  /** Default 2,000. */
  readonly maxConnections?: number;
  /** Milliseconds between rounds of retention and compaction; default 15 s, as Apache Kafka's cleaner. */
  readonly housekeepingMs?: number;
  /** Bounds of group sessions and transactions, by default Apache Kafka's. */
  readonly coordinators?: Partial<CoordinatorSettings>;
  /** Lines for people; default: standard error. */
  readonly log?: (line: string) => void;
}

export interface EmbeddedBroker {
  /** `host:port`. */
  readonly bootstrapServers: string;
  readonly port: number;
  readonly clusterId: string;
  readonly faults: Faults;
  /** Closes connections and files. Everything acknowledged is on disk afterwards. */
  stop(): Promise<void>;
}

const NODE_ID = 1;
const MOST_PARTITIONS = 10_000;
const BEFORE_AUTHENTICATION_BYTES = 64 * 1024;
const BEFORE_AUTHENTICATION = new Set(['ApiVersions', 'SaslHandshake', 'SaslAuthenticate']);

/**
 * Starts a broker in this thread. It is for one machine, first runs and tests; production is Apache Kafka.
 * @throws BrokerStartError when the port is taken, or the data folder is in use, cannot be read or belongs to another
 *   version.
 */
export async function startEmbeddedBroker(options: EmbeddedBrokerOptions = {}): Promise<EmbeddedBroker> {
  const dataDir = options.memory ? null : (options.dataDir ?? null);
  const claim = dataDir === null ? null : await claimDataFolder(dataDir);
  let broker: EmbeddedBroker | null = null;
  let stopped: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    try {
      await broker?.stop();
    } finally {
      claim?.release();
    }
  };
  try {
    broker = await open(options, dataDir);
    claim?.announce({ pid: process.pid, bootstrapServers: broker.bootstrapServers, clusterId: broker.clusterId });
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...broker, stop: () => (stopped ??= stop()) };
}

async function open(options: EmbeddedBrokerOptions, dataDir: string | null): Promise<EmbeddedBroker> {
  const log = options.log ?? ((line: string) => void process.stderr.write(`embedded broker: ${line}\n`));
  const now = Date.now;
  const host = options.host ?? '127.0.0.1';
  const defaultPartitions = options.defaultPartitions ?? 1;
  const autoCreateTopics = options.autoCreateTopics ?? true;
  const fsync = options.fsync ?? 'never';
  const faults = new FaultPlan();
  const whenRunning = faults.whenRunning.bind(faults);

  let port = options.port ?? 0;
  const address = () => ({ host: options.advertisedHost ?? host, port });

  const createTransactionIndex = () => new PartitionTransactions();
  const { topics, coordinators } = await recover(dataDir, async () => {
    const topics = new TopicRegistry({ dataDir, fsync, createTransactionIndex, now, log });
    const services: BrokerServices = { partitions: partitionsOf(topics, now), dataDir, fsync, now, log };
    return { topics, coordinators: await openCoordinators(services, options.coordinators) };
  });

  const sizes = { nodeId: NODE_ID, defaultPartitions, maxPartitions: MOST_PARTITIONS };
  const brokerConfigs = new Map([
    ['auto.create.topics.enable', String(autoCreateTopics)],
    ['broker.id', String(NODE_ID)],
    ['default.replication.factor', '1'],
    ['log.dirs', dataDir ?? ''],
    ['num.partitions', String(defaultPartitions)],
  ]);
  const handlers = new Map<number, Handler>(
    [
      topicHandlers({ topics, topicDeleted: coordinators.topicDeleted, ...sizes }),
      configHandlers({ topics, nodeId: NODE_ID, brokerConfigs }),
      clusterHandlers({ topics, address, autoCreateTopics, ...sizes }),
      produceHandlers({ topics, transactions: coordinators.transactions, now, whenRunning, log }),
      fetchHandlers({ topics, whenRunning }),
      offsetHandlers({ topics }),
      inspectionHandlers({ topics, dataDir }),
      coordinators.handlers,
    ].flatMap((module) => [...module]),
  );
  const users = options.users ? new Map(Object.entries(options.users)) : null;
  const maxRequestBytes = options.maxRequestBytes ?? 100 * 1024 * 1024;
  const listening = listen(
    {
      host,
      port,
      tls: options.tls ?? null,
      authenticationRequired: users !== null,
      maxConnections: options.maxConnections ?? 2_000,
      limits: {
        maxRequestBytes,
        maxRequestBytesBeforeAuthentication: Math.min(BEFORE_AUTHENTICATION_BYTES, maxRequestBytes),
        maxIdleMs: options.maxIdleMs ?? 600_000,
        memory: new MemoryBudget(4 * maxRequestBytes),
      },
      log,
    },
    withFaults(faults, answeringDiskTrouble(dispatcher(handlers, users), log)),
  );
  const listener = await listening.catch(async (error: NodeJS.ErrnoException) => {
    await coordinators.close();
    await topics.close();
    throw portUnavailable(host, port, error);
  });
  port = listener.port;
  const housekeeping = new Housekeeping({ topics, now, log });
  housekeeping.start(options.housekeepingMs ?? 15_000);

  return {
    bootstrapServers: `${address().host}:${port}`,
    port,
    clusterId: topics.clusterId,
    faults,
    stop: async () => {
      faults.clear();
      await housekeeping.stop();
      const closed = listener.close();
      await coordinators.close();
      await closed;
      await topics.close();
    },
  };
}

async function recover<T>(dataDir: string | null, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const reason = `The data folder ${dataDir} cannot be read: ${(error as Error).message}`;
    throw new BrokerStartError('DATA_FOLDER_UNUSABLE', reason, error);
  }
}

function portUnavailable(host: string, port: number, error: NodeJS.ErrnoException): BrokerStartError {
  const reason =
    error.code === 'EADDRINUSE' ? 'another program listens there' : `it cannot be listened to: ${error.message}`;
  return new BrokerStartError('PORT_UNAVAILABLE', `Port ${port} of ${host} cannot be had: ${reason}.`, error);
}

function partitionsOf(topics: TopicRegistry, now: () => number): Partitions {
  return {
    exists: (at) => topics.partition(at) !== undefined,
    appendMarker: async (at, marker) => {
      const partition = topics.partition(at);
      if (!partition) throw new Error(`there is no partition ${at.topic}-${at.partition}`);
      const { segmentBytes, segmentMs } = topics.get(at.topic)!.settings;
      const stored = partition.append(controlBatch(marker, now()), { segmentBytes, segmentMs, appendTime: null });
      await partition.durable();
      return stored.baseOffset;
    },
  };
}

function dispatcher(handlers: ReadonlyMap<number, Handler>, users: ReadonlyMap<string, string> | null): Dispatch {
  const served = [...APIS.values()]
    .filter(({ key, name }) => handlers.has(key) || BEFORE_AUTHENTICATION.has(name))
    .map(({ key, versions: [minVersion, maxVersion] }) => ({ apiKey: key, minVersion, maxVersion }));

  return async ({ api, version, body, unsupportedVersion }, context, session) => {
    if (!session.authenticated && !BEFORE_AUTHENTICATION.has(api.name)) return 'close';
    if (api.key === API_VERSIONS.key) {
      return { errorCode: unsupportedVersion ? ErrorCode.UNSUPPORTED_VERSION : ErrorCode.NONE, apiKeys: served };
    }
    if (api.key === SASL_HANDSHAKE.key) {
      return users
        ? answerHandshake(body as RequestOf<typeof SASL_HANDSHAKE>, version, session, users)
        : refuseHandshake();
    }
    if (api.key === SASL_AUTHENTICATE.key) {
      return users
        ? answerAuthenticate(body as RequestOf<typeof SASL_AUTHENTICATE>, session, users)
        : refuseAuthenticate();
    }
    const handler = handlers.get(api.key);
    return handler ? handler(body, context) : 'close';
  };
}
