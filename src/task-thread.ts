/** Composition root of a task thread: creates everything that tasks need inside the thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { receiveProvidedValues } from '@millrace/texts/redaction';
import { builtInPlugins } from './built-in-plugins';
import { parseWorkerConfig } from './config/worker-config';
import { workerClients } from './kafka-clients';
import { threadJvms } from './java/jvm-supervision';
import { LogLevels } from './logging/log-levels';
import { createPluginRegistry, type PluginRegistryOptions } from './plugins/create-registry';
import type { FromThread, ThreadData, ToThread } from './tasks/hosts/task-thread-messages';
import { guardThread, ThreadServer } from './tasks/hosts/thread-server';
import { ThreadHeartbeat } from './threads/thread-heartbeat';
import { ThreadLogger } from './threads/thread-logger';

const port = parentPort;
if (!port) throw new Error('task-thread runs as a worker thread only');
const post = (message: FromThread): void => port.postMessage(message);
const data = workerData as ThreadData;

const levels = new LogLevels(data.levels.initial, data.levels.rules);
// Same logger names as in the worker, so that a level applies to both.
const logger = new ThreadLogger(post, levels, {}, 'millrace.tasks');
const config = parseWorkerConfig(data.settings);
const clients = workerClients(logger.child({}, 'millrace.kafka'), config.tokenUrls);
const registry = createPluginRegistry({
  pluginPath: config.pluginPath,
  builtIns: builtInPlugins,
  logger: logger.child({}, 'millrace.plugins'),
  catalog: data.catalog as NonNullable<PluginRegistryOptions['catalog']>,
  jvms: () => threadJvms(data.jvms ?? null),
});
const server = new ThreadServer({ config, registry, logger, clients }, post);

const heartbeat = new ThreadHeartbeat(data.beat);
port.on('message', (message: ToThread) => {
  if (message.type === 'beat') heartbeat.beat();
  else if (message.type === 'log-level') levels.set(message.namespace, message.level);
  else if (message.type === 'hide') receiveProvidedValues(message.values);
  else server.handle(message);
});
guardThread(server);
heartbeat.beat();
