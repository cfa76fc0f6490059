/** Composition root of the broker: storage, request handlers, listener, fault injection. */
import type { TlsOptions } from 'node:tls';
import { openCoordinators, type CoordinatorSettings } from './coordinators';
import { fetchHandlers } from './data/fetch';
import { logOffsetHandlers } from './data/log-offsets';
import { partitionAccess } from './data/partition-access';
import { produceHandlers } from './data/produce';
import { createDispatcher } from './dispatcher';
import { FaultPlan, withFaults, type Faults } from './faults';
import { MemoryBudget } from './network/memory-budget';
import { listen } from './network/server';
import type { Handler } from './requests/handler';
import { withStorageErrors } from './requests/storage-errors';
import { BrokerStartError } from './start-error';
import { lockDataFolder } from './storage/data-folder';
import { clusterHandlers } from './topics/cluster-handlers';
import { configHandlers } from './topics/config-handlers';
import { Housekeeping } from './topics/housekeeping';
import { inspectionHandlers } from './topics/inspection-handlers';
import { TopicRegistry } from './topics/registry';
import { topicHandlers } from './topics/topic-handlers';

export interface EmbeddedBrokerOptions {
  /** Listen address, also advertised to clients; default 127.0.0.1. */
  readonly host?: string;
  /** Host name advertised to clients; default `host`. */
  readonly advertisedHost?: string;
  /** Default 0: a free port. */
  readonly port?: number;
  /** Folder for topics, offsets and transactions. Without it, everything is in memory. */
  readonly dataDir?: string;
  /** True: in memory, even if `dataDir` is set. */
  readonly memory?: boolean;
  /**
   * `always`: acknowledged records are flushed to disk. `never` (default): they are left to the operating system, which
   * survives a crash of the process but not a power failure.
   */
  readonly fsync?: 'always' | 'never';
  /** Creates topics when a client requests metadata for them; default true. */
  readonly autoCreateTopics?: boolean;
  /** Partitions of topics that are created without a number; default 1. */
  readonly defaultPartitions?: number;
  /** Enables TLS; `{ key, cert }` in PEM. */
  readonly tls?: TlsOptions;
  /** User name → password: clients must authenticate with SASL PLAIN. */
  readonly users?: Readonly<Record<string, string>>;
  /** Maximum size of a request; default 100 MiB, as Apache Kafka's `socket.request.max.bytes`. */
  readonly maxRequestBytes?: number;
  /**
   * Milliseconds after which a connection is closed that sends no request, does not complete one or does not read a
   * response; default 10 minutes.
   */
  readonly maxIdleMs?: number;
  /** Default 2,000. */
  readonly maxConnections?: number;
  /** Milliseconds between rounds of retention and compaction; default 15 s, as Apache Kafka's cleaner. */
  readonly housekeepingMs?: number;
  /** Bounds of group sessions and transactions, by default Apache Kafka's. */
  readonly coordinators?: Partial<CoordinatorSettings>;
  /** Receives log lines; default: standard error. */
  readonly log?: (line: string) => void;
}

export interface EmbeddedBroker {
  /** `host:port`. */
  readonly bootstrapServers: string;
  readonly port: number;
  readonly clusterId: string;
  readonly faults: Faults;
  /** Closes connections and files. Everything acknowledged is on disk when it resolves. */
  stop(): Promise<void>;
}

const NODE_ID = 1;
const MAX_PARTITIONS = 10_000;
const MAX_BYTES_BEFORE_AUTHENTICATION = 64 * 1024;

/**
 * Starts a broker in this thread. It is for first runs and tests on one machine; use Apache Kafka in production.
 * @throws BrokerStartError if the port is unavailable, or the data folder is in use, cannot be read or was written by
 *   another version.
 */
export async function startEmbeddedBroker(options: EmbeddedBrokerOptions = {}): Promise<EmbeddedBroker> {
  const dataDir = options.memory ? null : (options.dataDir ?? null);
  const lock = dataDir === null ? null : await lockDataFolder(dataDir);
  let broker: EmbeddedBroker | null = null;
  let stopped: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    try {
      await broker?.stop();
    } finally {
      lock?.release();
    }
  };
  try {
    broker = await open(options, dataDir);
    lock?.publish({ pid: process.pid, bootstrapServers: broker.bootstrapServers, clusterId: broker.clusterId });
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
  const whenResumed = faults.whenResumed.bind(faults);

  let port = options.port ?? 0;
  const address = () => ({ host: options.advertisedHost ?? host, port });

  const { topics, coordinators } = await recoverData(dataDir, async () => {
    const topics = new TopicRegistry({ dataDir, fsync, now, log });
    const partitions = partitionAccess(topics, now);
    return { topics, coordinators: await openCoordinators({ partitions, dataDir, fsync, log }, options.coordinators) };
  });

  const sizes = { nodeId: NODE_ID, defaultPartitions, maxPartitions: MAX_PARTITIONS };
  const brokerConfigs = new Map([
    ['auto.create.topics.enable', String(autoCreateTopics)],
    ['broker.id', String(NODE_ID)],
    ['default.replication.factor', '1'],
    ['log.dirs', dataDir ?? ''],
    ['num.partitions', String(defaultPartitions)],
  ]);
  const handlers = new Map<number, Handler>(
    [
      topicHandlers({ topics, deleteCommittedOffsets: coordinators.deleteCommittedOffsets, ...sizes }),
      configHandlers({ topics, nodeId: NODE_ID, brokerConfigs }),
      clusterHandlers({ topics, address, autoCreateTopics, ...sizes }),
      produceHandlers({ topics, transactions: coordinators.transactions, now, whenResumed, log }),
      fetchHandlers({ topics, whenResumed }),
      logOffsetHandlers({ topics }),
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
        maxRequestBytesBeforeAuthentication: Math.min(MAX_BYTES_BEFORE_AUTHENTICATION, maxRequestBytes),
        maxIdleMs: options.maxIdleMs ?? 600_000,
        memory: new MemoryBudget(4 * maxRequestBytes),
      },
      log,
    },
    withFaults(faults, withStorageErrors(createDispatcher(handlers, users), log)),
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

async function recoverData<T>(dataDir: string | null, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const reason = `The data folder ${dataDir} cannot be read: ${(error as Error).message}`;
    throw new BrokerStartError('DATA_FOLDER_UNUSABLE', reason, error);
  }
}

function portUnavailable(host: string, port: number, error: NodeJS.ErrnoException): BrokerStartError {
  const message =
    error.code === 'EADDRINUSE'
      ? `Port ${port} of ${host} is already in use.`
      : `Cannot listen on port ${port} of ${host}: ${error.message}.`;
  return new BrokerStartError('PORT_UNAVAILABLE', message, error);
}
