/**
 * Composition root of a worker with an embedded broker: starts the broker and, if there is to be one, the schema
 * registry, then the worker. Stops them in reverse order.
 */
import { resolve } from 'node:path';
import { withBrokerAt, type EmbeddedBrokerConfig } from './config/embedded-broker';
import { parseWorkerConfig, type WorkerConfig } from './config/worker-config';
import { startBrokerThread } from './embedded-broker/start-broker-thread';
import { openBroker, type OpenBroker } from './embedded-broker/open-broker';
import { clusterIdAt } from '@millrace/kafka-client';
import { workerClients } from './kafka-clients';
import { anotherHost, type RegistryThread, startRegistryThread } from './schema-registry/start-registry-thread';
import { createWorker, type Worker, type WorkerOptions } from './worker';

/** The broker accepts connections from this machine only. */
const HOST = '127.0.0.1';

/** @param config has `bootstrap.servers=embedded`; all other settings are passed on unchanged. */
export function createWorkerWithBroker(
  config: WorkerConfig,
  embedded: EmbeddedBrokerConfig,
  options: WorkerOptions,
): Worker {
  const logger = options.logger.child({}, 'millrace.embedded-broker');
  const dataDir = resolve(embedded.dataDir);
  const stopping = new AbortController();
  let broker: OpenBroker | null = null;
  let registry: RegistryThread | null = null;
  let worker: Worker | null = null;
  let opening: Promise<void> = Promise.resolve();
  let fail: (reason: unknown) => void;
  const failed = new Promise<unknown>((resolve) => (fail = resolve));

  async function open(): Promise<void> {
    const data = { host: HOST, port: embedded.port, dataDir };
    const host = () => startBrokerThread(data, (line) => logger.info(line));
    const clients = workerClients(logger);
    broker = await openBroker({
      dataDir,
      host,
      clusterIdAt: (address) => clusterIdAt(clients, address),
      logger,
      signal: stopping.signal,
    });
    await openRegistry(broker);
    worker = createWorker(parseWorkerConfig(withBrokerAt(config.raw, broker.bootstrapServers)), options);
    void worker.failed.then(fail);
    void broker.ended.then((reason) => stopping.signal.aborted || fail(reason));
  }

  async function openRegistry({ bootstrapServers, isHosted }: OpenBroker): Promise<void> {
    const { registryPort: port } = embedded;
    if (port === null || stopping.signal.aborted) return;
    if (!isHosted) throw anotherHost(dataDir);
    const named = options.logger.child({}, 'millrace.schema-registry');
    registry = await startRegistryThread({ port, bootstrapServers }, named);
    named.warn(
      `Started a schema registry on ${registry.url}. It is for first runs and tests on one machine; use a schema registry of its own in production.`,
    );
    void registry.ended.then((reason) => stopping.signal.aborted || fail(reason));
  }

  return {
    get urls() {
      return worker?.urls ?? [];
    },
    get bootstrapServers() {
      return worker?.bootstrapServers ?? '';
    },
    get schemaRegistry() {
      return registry?.url ?? null;
    },
    failed,
    ready: async () => await worker?.ready(),
    start: async () => {
      await (opening = open());
      if (!stopping.signal.aborted) await worker?.start();
    },
    // Tasks and stores flush to the broker before it stops.
    stop: async () => {
      stopping.abort();
      await opening.catch(() => undefined);
      try {
        await worker?.stop();
        await registry?.stop();
      } finally {
        await broker?.stop();
      }
    },
  };
}
