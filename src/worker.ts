/** Composition root of a worker: the only file that imports every module. */
import { networkInterfaces } from 'node:os';
import { parseJaasFile, readTlsOptions } from '@millrace/kafka-client/security';
import { nativeFailures } from '@millrace/record-codecs';
import { startTimer } from '@millrace/sdk';
import { levelName } from '@millrace/texts/rest-names';
import { builtInPlugins } from './built-in-plugins';
import { createHerder } from './cluster/create-herder';
import { forwardRequest, type ForwardRequest } from './cluster/forwarding/forwarding';
import type { Herder } from './cluster/herder';
import { startupWarnings } from './config/differences/startup-warnings';
import { forcedSettingWarnings } from './config/forced-settings';
import { advertisedUrl, type Listener } from './config/listeners';
import type { ConfigResolver } from './config/providers/config-resolver';
import { SettingProblems } from './config/setting-problems';
import type { WorkerConfig } from './config/worker-config';
import { BROKER_THREAD } from './embedded-broker/start-broker-thread';
import { JvmSupervision } from './java/jvm-supervision';
import { workerClients } from './kafka-clients';
import type { LogLevels } from './logging/log-levels';
import type { Logger } from './logging/logger';
import type { RecentLines } from './logging/recent-lines';
import { createPluginHost } from './plugin-host/create-host';
import { createPluginRegistry } from './plugins/create-registry';
import { JarConfigProviders } from './plugins/jar-providers';
import { PluginWatcher } from './plugins/watch/plugin-watcher';
import { recordTexts } from './records/record-texts';
import { forwardingTls } from './rest/http/https';
import { createRestServer } from './rest/server';
import { checkDefaultConverters } from './tasks/check-default-converters';
import { REGISTRY_THREAD } from './schema-registry/start-registry-thread';
import { createTaskHost } from './tasks/hosts/create-task-host';
import { withTaskConverters } from './tasks/task-converters';
import { IdleHeap } from './threads/idle-heap';
import { runningThreads } from './threads/running-threads';
import { CONNECT_VERSION, MILLRACE_VERSION } from './version';

/** A start that takes longer is logged as waiting for Kafka. */
const SLOW_START_MS = 5_000;

export interface Worker {
  /**
   * Resolves once the storage topics are read and the worker is joining its group. After a rejection, `stop` must still
   * be called.
   */
  start(): Promise<void>;
  /** Stops tasks, commits offsets, leaves the group and closes everything. May be called at any time. */
  stop(): Promise<void>;
  /** After `start`: resolves once the worker is a member of its group and accepts changes, or is stopped. */
  ready(): Promise<void>;
  /** Addresses of the Kafka brokers. Empty until an embedded broker has started. */
  readonly bootstrapServers: string;
  /** URL of the worker's schema registry. Absent: it has none, or it has not started. */
  readonly schemaRegistry?: string | null;
  /** Base URLs of the REST API. Empty until `start` has opened the ports, which it does before connecting to Kafka. */
  readonly urls: readonly string[];
  /** Resolves with the reason when a started worker cannot continue. The caller stops it and exits. */
  readonly failed: Promise<unknown>;
}

export interface WorkerOptions {
  readonly logger: Logger;
  /** The logger's levels, which the REST API shows and changes. */
  readonly levels: LogLevels;
  /** Resolves config provider placeholders in connector configs. */
  readonly resolver: ConfigResolver;
  /** Where the logger keeps the lines of connectors, for the console. (Default: none are kept) */
  readonly recent?: RecentLines;
}

export function createWorker(config: WorkerConfig, { logger, levels, resolver, recent }: WorkerOptions): Worker {
  const named = (name: string): Logger => logger.child({}, `millrace.${name}`);
  const jvms = new JvmSupervision({ settings: config.jvm, logger: named('jvm'), levels });
  const registry = createPluginRegistry({
    pluginPath: config.pluginPath,
    builtIns: builtInPlugins,
    logger: named('plugins'),
    discovery: config.pluginDiscovery,
    jvms: () => jvms.jvms(),
  });
  const jarProviders = new JarConfigProviders({ catalog: () => registry.catalog, jvms: () => jvms.jvms() });
  const jvmChannel = (): string | null => (registry.list().some(({ java }) => java) ? jvms.channel() : null);
  const { pluginHost, validator } = createPluginHost(config.taskHost, {
    config,
    registry,
    recordTexts: (connector, records) =>
      withTaskConverters(connector, config, registry, (converters) => recordTexts(converters, records)),
    resolver,
    logger: named('herder'),
    levels,
    jvmChannel,
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
    readJaas: parseJaasFile,
    forward,
    levels,
    jvms: () => jvms.figures(),
    jvmStates: () => jvms.states(),
    logger: named('rest'),
    ...(recent ? { recent } : {}),
    version: CONNECT_VERSION,
    commit: `millrace-${MILLRACE_VERSION}`,
    millraceVersion: MILLRACE_VERSION,
  });
  let fail: (error: unknown) => void;
  const failed = new Promise<unknown>((resolve) => (fail = resolve));

  function buildHerder(restUrl: string): Herder {
    const clients = workerClients(named('kafka'), config.tokenUrls);
    return createHerder({
      config,
      clients,
      registry,
      validator,
      pluginHost,
      taskHost: ({ offsets, listener, gate }) =>
        createTaskHost(config.taskHost, {
          config,
          clients,
          registry,
          offsets,
          gate,
          listener,
          logger: named('tasks'),
          levels,
          jvmChannel,
        }),
      logger,
      restUrl,
      resolve: (connectorConfig, owner, expires) =>
        resolver.resolve(connectorConfig, { owner, ...(expires && { expires }) }),
      forward,
      problems: () => jvms.problems(),
      onLoggerLevel: applyLevel,
      onFatal: (error) => fail(error),
    });
  }

  function applyLevel(namespace: string, text: string): void {
    const level = levelName(text);
    if (level !== null) levels.set(namespace, level);
    else logger.warn(`The level ${JSON.stringify(text)} for logger ${namespace} is unknown and ignored`);
  }

  const watcher = watchesPlugins(config)
    ? new PluginWatcher({
        paths: config.pluginPath,
        onChange: async (folders) => {
          const change = await registry.rescan(folders);
          jvms.retire(folders);
          jarProviders.renew();
          await herder?.reloadPlugins(change);
        },
        logger: named('plugins'),
      })
    : null;
  const idleHeap = new IdleHeap();
  let urls: readonly string[] = [];
  let stopping = false;
  return {
    get urls() {
      return urls;
    },
    failed,
    bootstrapServers: config.bootstrapServers,
    ready: async () => {
      while (herder && !stopping && (await herder.health()).status !== 'healthy');
    },
    start: async () => {
      await registry.discover();
      const problems = new SettingProblems();
      for (const problem of resolver.useJars(jarProviders)) problems.add(problem);
      problems.throwAny();
      const ofPlugins = registry.list().flatMap(({ workerSettings = [] }) => workerSettings);
      for (const warning of [...startupWarnings(config.raw, ofPlugins), ...forcedSettingWarnings(config)])
        logger.warn(warning);
      await checkDefaultConverters({
        config,
        registry,
        createInThread: () => pluginHost.recordTexts({}, []),
        logger: named('worker'),
      });
      await watcher?.start();
      const bound = await rest.listen();
      if (stopping) return await rest.close();
      urls = bound.map(localUrl);
      const advertised = advertisedUrl(
        config,
        bound.filter(({ serves }) => serves.includes('connect')),
        detectHost,
      );
      logger.info(`Millrace ${MILLRACE_VERSION} listens on ${urls.join(', ')}`, { advertised, group: config.groupId });
      for (const [name, reason] of nativeFailures)
        logger.debug(`${name} cannot be loaded (${reason}); using slower JavaScript instead`);
      herder = buildHerder(advertised);
      const silence = startTimer(
        () => logger.warn(`Kafka has not answered yet (${config.bootstrapServers}), waiting`),
        SLOW_START_MS,
      );
      try {
        await herder.start();
      } finally {
        clearTimeout(silence);
      }
      if (!stopping) idleHeap.start();
    },
    // REST closes last, so that requests are answered while tasks stop.
    stop: async () => {
      stopping = true;
      watcher?.close();
      idleHeap.stop();
      try {
        await herder?.stop();
      } finally {
        try {
          await rest.close();
        } finally {
          try {
            await pluginHost.close();
          } finally {
            await jvms.close();
          }
        }
      }
      // These end after the worker.
      const left = runningThreads().filter((name) => name !== BROKER_THREAD && name !== REGISTRY_THREAD);
      if (left.length === 0) logger.info('Millrace has stopped');
      else logger.warn(`Millrace has left its group, but code in these threads does not end: ${left.join(', ')}`);
    },
  };
}

/** Modules cannot be unloaded from this thread. */
function watchesPlugins({ pluginWatch, pluginPath, taskHost }: WorkerConfig): boolean {
  return pluginWatch && pluginPath.length > 0 && taskHost === 'thread';
}

function localUrl({ protocol, host, port }: Listener): string {
  const shown = host === '' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${protocol}://${shown}:${port}`;
}

/** The first address of this machine that is not a loopback address; IPv4 preferred. */
function detectHost(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const outside = addresses.filter((address) => !address.internal);
  return (outside.find((address) => address.family === 'IPv4') ?? outside[0])?.address ?? '127.0.0.1';
}
