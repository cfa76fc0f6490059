/** Composition root: the only file that knows every module. */
import { networkInterfaces } from 'node:os';
import { startTimer } from '@millrace/sdk';
import { createHerder } from './cluster/create-herder';
import { forwardRequest, type ForwardRequest } from './cluster/forwarding/forwarding';
import type { Herder } from './cluster/herder';
import { configWarnings } from './config/config-warnings';
import { advertisedUrl, type Listener } from './config/listeners';
import type { ConfigResolver } from './config/providers/config-resolver';
import type { WorkerConfig } from './config/worker-config';
import { builtInPlugins } from './built-in-plugins';
import { createKafkaClients } from './kafka/create-clients';
import { readTlsOptions } from './kafka/security/ssl-config';
import { levelName, type LogLevels } from './logging/log-levels';
import type { Logger } from './logging/logger';
import { prepareExposition } from './metrics/exposition';
import { createPluginHost } from './plugin-host/create-host';
import { createPluginRegistry } from './plugins/create-registry';
import { forwardingTls } from './rest/https';
import { createRestServer } from './rest/server';
import { createTaskHost } from './tasks/hosts/create-task-host';
import { CONNECT_VERSION, MILLRACE_VERSION } from './version';

/** A start that takes longer is said to be waiting. */
const SILENCE_MS = 5_000;
/** After a start, before what the first scrape needs is loaded: connectors and tasks come first. */
const QUIET_MS = 2_000;

export interface Worker {
  /**
   * Resolves when the storage topics are read and the worker is joining its group. Rejects when it cannot: call `stop`
   * then, too.
   */
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
  /** The logger's levels: the REST interface shows and changes them. */
  readonly levels: LogLevels;
  /** Replaces placeholders in connector configurations. */
  readonly resolver: ConfigResolver;
}

export function createWorker(config: WorkerConfig, { logger, levels, resolver }: WorkerOptions): Worker {
  const named = (name: string): Logger => logger.child({}, `millrace.${name}`);
  const registry = createPluginRegistry({
    pluginPath: config.pluginPath,
    builtIns: builtInPlugins,
    logger: named('plugins'),
  });
  const { pluginHost, validator } = createPluginHost(config.taskHost, {
    config,
    registry,
    resolver,
    logger: named('herder'),
    levels,
  });
  let herder: Herder | null = null;
  const tls = forwardingTls(config, readTlsOptions);
  const forward: ForwardRequest = async (request) => await forwardRequest(request, tls);
  const rest = createRestServer({
    herder: () => herder,
    registry,
    validator,
    config,
    readTls: readTlsOptions,
    forward,
    levels,
    logger: named('rest'),
    version: CONNECT_VERSION,
    commit: `millrace-${MILLRACE_VERSION}`,
  });
  let fail: (error: unknown) => void;
  const failed = new Promise<unknown>((resolve) => (fail = resolve));

  function buildHerder(restUrl: string): Herder {
    const clients = createKafkaClients(named('kafka'), config.tokenUrls);
    return createHerder({
      config,
      clients,
      registry,
      validator,
      pluginHost,
      taskHost: ({ offsets, listener }) =>
        createTaskHost(config.taskHost, {
          config,
          clients,
          registry,
          offsets,
          listener,
          logger: named('tasks'),
          levels,
        }),
      logger,
      restUrl,
      resolve: (connectorConfig, expires) => resolver.resolve(connectorConfig, expires),
      forward,
      onLoggerLevel: applyLevel,
      onFatal: (error) => fail(error),
    });
  }

  function applyLevel(namespace: string, text: string): void {
    const level = levelName(text);
    if (level !== null) levels.set(namespace, level);
    else logger.warn(`The level ${JSON.stringify(text)} for logger ${namespace} is not known and is ignored`);
  }

  let urls: readonly string[] = [];
  let stopping = false;
  let scrapes: NodeJS.Timeout | undefined;
  return {
    get urls() {
      return urls;
    },
    failed,
    start: async () => {
      const ofPlugins = registry.list().flatMap(({ workerSettings = [] }) => workerSettings);
      for (const warning of configWarnings(config.raw, ofPlugins)) logger.warn(warning);
      const bound = await rest.listen();
      if (stopping) return await rest.close();
      urls = bound.map(localUrl);
      const advertised = advertisedUrl(
        config,
        bound.filter(({ serves }) => serves.includes('connect')),
        detectHost,
      );
      logger.info(`Millrace ${MILLRACE_VERSION} listens on ${urls.join(', ')}`, { advertised, group: config.groupId });
      herder = buildHerder(advertised);
      const silence = startTimer(
        () => logger.warn(`Kafka has not answered yet (${config.bootstrapServers}), waiting`),
        SILENCE_MS,
      );
      try {
        await herder.start();
      } finally {
        clearTimeout(silence);
      }
      scrapes = startTimer(() => void prepareExposition(), QUIET_MS).unref();
    },
    // The port closes last: whoever asks while tasks stop gets an answer.
    stop: async () => {
      stopping = true;
      clearTimeout(scrapes);
      try {
        await herder?.stop();
      } finally {
        try {
          await rest.close();
        } finally {
          await pluginHost.close();
        }
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
