/** Composition root: the only file that knows every module. */
import { networkInterfaces } from 'node:os';
import { createHerder } from './cluster/create-herder';
import type { Herder } from './cluster/herder';
import { configWarnings } from './config/config-warnings';
import { advertisedUrl, type Listener } from './config/listeners';
import type { ConfigResolver } from './config/providers/config-resolver';
import { createConfigValidator } from './config/validation-impl';
import type { WorkerConfig } from './config/worker-config';
import { builtInConverters } from './converters';
import { createKafkaClients } from './kafka/kafkajs-clients';
import type { Logger } from './logging/logger';
import { createPluginRegistry } from './plugins/create-registry';
import { createRestServer } from './rest/server';
import { createTaskHost } from './tasks/create-host';
import { CONNECT_VERSION, MILLRACE_VERSION } from './version';

/** A start that takes longer is said to be waiting. */
const SILENCE_MS = 5_000;

export interface Worker {
  /** Resolves when the storage topics are read and the worker is joining its group. Rejects when it cannot: call `stop` then, too. */
  start(): Promise<void>;
  /** Stops tasks, stores offsets, leaves the group, closes everything. May be called at any time. */
  stop(): Promise<void>;
  /** Where REST answers. Filled once `start` has opened the ports, which is before Kafka is asked anything. */
  readonly urls: readonly string[];
  /** Resolves to the reason when a started worker cannot go on: call `stop` and end the process. */
  readonly failed: Promise<unknown>;
}

export interface WorkerOptions {
  readonly logger: Logger;
  /** Replaces placeholders in connector configurations. */
  readonly resolver: ConfigResolver;
}

export function createWorker(config: WorkerConfig, { logger, resolver }: WorkerOptions): Worker {
  const named = (name: string): Logger => logger.child({}, `millrace.${name}`);
  const registry = createPluginRegistry({
    pluginPath: config.pluginPath,
    builtIns: builtInConverters,
    logger: named('plugins'),
  });
  const validator = createConfigValidator({ registry, config, resolver });
  let herder: Herder | null = null;
  const rest = createRestServer({
    herder: () => herder,
    registry,
    validator,
    config,
    logger: named('rest'),
    version: CONNECT_VERSION,
    commit: `millrace-${MILLRACE_VERSION}`,
  });
  let fail: (error: unknown) => void;
  const failed = new Promise<unknown>((resolve) => (fail = resolve));

  function buildHerder(restUrl: string): Herder {
    const clients = createKafkaClients(named('kafka'));
    return createHerder({
      config,
      clients,
      registry,
      validator,
      taskHost: ({ offsets, listener }) =>
        createTaskHost(config.taskHost, { config, clients, registry, offsets, listener, logger: named('tasks') }),
      logger,
      restUrl,
      resolve: (connectorConfig) => resolver.resolve(connectorConfig),
      onFatal: (error) => fail(error),
    });
  }

  let urls: readonly string[] = [];
  let stopping = false;
  return {
    get urls() {
      return urls;
    },
    failed,
    start: async () => {
      for (const warning of configWarnings(config.raw)) logger.warn(warning);
      const bound = await rest.listen();
      if (stopping) return await rest.close();
      urls = bound.map(localUrl);
      const advertised = advertisedUrl(config, bound, detectHost);
      logger.info(`Millrace ${MILLRACE_VERSION} listens on ${urls.join(', ')}`, { advertised, group: config.groupId });
      herder = buildHerder(advertised);
      const silence = setTimeout(
        () => logger.warn(`Kafka has not answered yet (${config.bootstrapServers}), waiting`),
        SILENCE_MS,
      );
      try {
        await herder.start();
      } finally {
        clearTimeout(silence);
      }
    },
    // The port closes last: whoever asks while tasks stop gets an answer.
    stop: async () => {
      stopping = true;
      try {
        await herder?.stop();
      } finally {
        await rest.close();
      }
      logger.info('Millrace has stopped');
    },
  };
}

function localUrl({ protocol, host, port }: Listener): string {
  const shown = host === '' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${protocol}://${shown}:${port}`;
}

/** The first address of this machine that others can reach. */
function detectHost(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const outside = addresses.filter((address) => !address.internal);
  return (outside.find((address) => address.family === 'IPv4') ?? outside[0])?.address ?? '127.0.0.1';
}
