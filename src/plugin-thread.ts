/**
 * Composition root of a plugin thread: runs validation, connector instances and all other plugin code except tasks.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { receiveProvidedValues } from '@millrace/texts/redaction';
import { builtInPlugins } from './built-in-plugins';
import { createConfigValidator } from './config/validation/connector-validator';
import { parseWorkerConfig } from './config/worker-config';
import { threadJvms } from './java/jvm-supervision';
import { LogLevels } from './logging/log-levels';
import { PluginServer } from './plugin-host/plugin-server';
import { CurrentStep } from './plugin-host/protocol/current-step';
import type { FromPluginThread, PluginThreadData, ToPluginThread } from './plugin-host/protocol/messages';
import { createPluginRegistry, type PluginRegistryOptions } from './plugins/create-registry';
import { recordTexts } from './records/record-texts';
import { withTaskConverters } from './tasks/task-converters';
import { ThreadHeartbeat } from './threads/thread-heartbeat';
import { ThreadLogger } from './threads/thread-logger';

const port = parentPort;
if (!port) throw new Error('plugin-thread runs as a worker thread only');
const post = (message: FromPluginThread): void => port.postMessage(message);
const data = workerData as PluginThreadData;

const levels = new LogLevels(data.levels.initial, data.levels.rules);
// Same logger names as in the worker, so that a level applies to both.
const logger = new ThreadLogger(post, levels, {}, 'millrace.herder');
const config = parseWorkerConfig(data.settings);
const registry = createPluginRegistry({
  pluginPath: config.pluginPath,
  builtIns: builtInPlugins,
  logger: logger.child({}, 'millrace.plugins'),
  catalog: data.catalog as NonNullable<PluginRegistryOptions['catalog']>,
  jvms: () => threadJvms(data.jvms ?? null),
});
const server = new PluginServer({
  registry,
  validator: (resolver) =>
    createConfigValidator({ registry, config, resolver, logger, pluginLimitMs: data.pluginLimitMs }),
  recordTexts: (connector, records) =>
    withTaskConverters(connector, config, registry, (converters) => recordTexts(converters, records)),
  logger,
  currentStep: new CurrentStep(data.step),
  post,
});

const heartbeat = new ThreadHeartbeat(data.beat);
port.on('message', (message: ToPluginThread) => {
  if (message.type === 'beat') heartbeat.beat();
  else if (message.type === 'log-level') levels.set(message.namespace, message.level);
  else if (message.type === 'hide') receiveProvidedValues(message.values);
  else server.handle(message);
});
process.on('uncaughtException', (error) => {
  server.onCrash(error);
  process.exit(1);
});
heartbeat.beat();
post({ type: 'ready' });
