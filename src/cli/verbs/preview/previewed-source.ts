/** Prepares a source task for a preview as a worker does: plugin, validation, task configs. */
import type { ConnectorDocument, FieldErrors } from '@millrace/cli/connectors';
import { ConnectError, type ConnectorConfig, type OffsetReader, withDeadline } from '@millrace/sdk';
import { taskClassOf } from '../../../cluster/running/connector-plugins';
import { defaultInstance } from '../../../cluster/running/default-instance';
import { taskLimit, TooManyTasksError } from '../../../cluster/running/task-configs';
import { createConfigValidator } from '../../../config/validation/connector-validator';
import type { Logger } from '../../../logging/logger';
import type { HostedInstance } from '../../../plugin-host/host';
import { InlinePluginHost } from '../../../plugin-host/inline-plugin-host';
import type { LocalPluginRegistry } from '../../../plugins/create-registry';
import { grantedSettings } from '../../../plugins/granted-settings';
import type { PluginDescription } from '../../../plugins/registry';
import type { TaskSpec } from '../../../tasks/host';
import { commandPlugins } from '../../worker/command-plugins';
import type { WorkerSetup } from '../../worker/read-config';
import { hideSecrets, validateHere } from '../../worker/validate-offline';
import type { PreviewOffsets } from './preview-offsets';
import { previewConverters, type ReadProduced } from './preview-registry';
import type { RecordSource } from './shown-record';

export interface PreviewedSource {
  readonly spec: TaskSpec;
  readonly source: RecordSource;
  readonly registry: LocalPluginRegistry;
  /** Null: the bytes of records are texts. Otherwise they were converted with a registry in memory. */
  readonly read: ReadProduced | null;
  /** Tasks that the connector has. */
  readonly tasks: number;
  /** Rejects when the connector reports an error. Never resolves. */
  readonly failed: Promise<never>;
  /** Stops the connector instance. */
  close(): Promise<void>;
}

/** The config is invalid. */
export interface Refused {
  readonly problems: readonly FieldErrors[];
}

export interface PrepareOptions {
  readonly document: ConnectorDocument;
  readonly setup: WorkerSetup;
  readonly offsets: PreviewOffsets;
  readonly logger: Logger;
  /** Number of the task. */
  readonly task: number;
  /** For each call of the connector instance, ms. */
  readonly timeoutMs: number;
}

/** @throws ConnectError, `CLI_USAGE` for a sink or a task that does not exist */
export async function prepareSource(options: PrepareOptions): Promise<PreviewedSource | Refused> {
  const { setup, logger } = options;
  const { config: worker } = setup;
  const plugins = await commandPlugins(worker, logger);
  setup.resolver.useJars(plugins.jarProviders);
  const prepared = await prepareWith(options, plugins.registry).catch(async (error: unknown) => {
    await plugins.close();
    throw error;
  });
  if ('problems' in prepared) {
    await plugins.close();
    return prepared;
  }
  const close = async (): Promise<void> => {
    await prepared.close();
    await plugins.close();
  };
  return { ...prepared, close };
}

async function prepareWith(options: PrepareOptions, registry: LocalPluginRegistry): Promise<PreviewedSource | Refused> {
  const { document, setup, logger } = options;
  const { config: worker, resolver } = setup;
  const { config } = document;
  const description = registry.find(
    config['connector.class'] ?? '',
    ['source', 'sink'],
    config['connector.plugin.version'],
  );
  if (description?.type === 'sink')
    throw new ConnectError(
      `${description.class} is a sink connector. A preview shows what a source would write; check a sink with "millrace validate --offline".`,
      { code: 'CLI_USAGE' },
    );
  const validator = createConfigValidator({ registry, config: worker, resolver, logger });
  const { fields: problems } = await validateHere(config, { registry, validator, resolver });
  if (problems.length > 0) return { problems };
  const resolved = await resolver.resolve(config, { owner: null });
  hideSecrets(resolved);
  return await withTasks(options, registry, description as PluginDescription, resolved);
}

async function withTasks(
  { document: { name }, setup, offsets, logger, task, timeoutMs }: PrepareOptions,
  registry: LocalPluginRegistry,
  description: PluginDescription,
  config: ConnectorConfig,
): Promise<PreviewedSource> {
  const host = new InlinePluginHost(registry);
  const workerSettings = grantedSettings(description, setup.config.raw);
  const traits = await host.traits(description);
  let fail!: (error: unknown) => void;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => undefined);
  const instance = traits.creates
    ? await host.create(
        { connector: name, description, config, workerSettings, preview: true },
        { logger, requestTaskReconfiguration: () => undefined, raiseError: fail, offsets: offsetReader(name, offsets) },
      )
    : defaultInstance(description.type, traits, config);
  const limited = <T>(method: string, call: () => Promise<T> | T): Promise<T> =>
    withDeadline(
      Promise.race([Promise.resolve().then(call), failed]),
      timeoutMs,
      () =>
        new ConnectError(`${method}() of the connector did not return within ${timeoutMs / 1000} s.`, {
          code: 'CONNECTOR_TASK_CONFIGS_TIMEOUT',
        }),
    );
  const close = async (): Promise<void> => {
    await limited('stop', () => instance.stop?.()).catch((error: unknown) =>
      logger.warn(`Ignoring an error while stopping the connector: ${String(error)}`),
    );
    instance.release?.();
  };
  try {
    await limited('start', () => instance.start?.());
    const converters = await previewConverters(config, setup.config, registry);
    const configs = await limited('taskConfigs', () => tasksOf(name, instance, config));
    const own = configs[task];
    if (own === undefined) throw noTask(name, task, configs.length);
    const spec: TaskSpec = {
      id: { connector: name, task },
      type: 'source',
      connectorClass: config['connector.class'] as string,
      connectorConfig: converters.config,
      taskConfig: { ...own, 'task.class': taskClassOf(description, traits) },
      targetState: 'STARTED',
      consumerGroup: null,
    };
    const source = { connector: name, partitionOrder: traits.partitionOrder };
    return { spec, source, read: converters.read, registry, tasks: configs.length, failed, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function tasksOf(
  name: string,
  instance: HostedInstance,
  config: ConnectorConfig,
): Promise<readonly ConnectorConfig[]> {
  const { max, enforce } = taskLimit(config);
  const configs = await instance.taskConfigs(max);
  if (enforce && configs.length > max) throw new TooManyTasksError(name, configs.length, max);
  return configs;
}

function noTask(name: string, task: number, count: number): ConnectError {
  return count === 0
    ? new ConnectError(`The connector ${name} has no task: it has found nothing to read.`, { code: 'PREVIEW_NO_TASK' })
    : new ConnectError(`The connector ${name} has ${count} task(s), numbered from 0: there is no task ${task}.`, {
        code: 'CLI_USAGE',
      });
}

function offsetReader(connector: string, offsets: PreviewOffsets): OffsetReader {
  return {
    offset: async (partition) => (await offsets.read(connector, [partition]))[0] ?? null,
    offsets: async (partitions) => await offsets.read(connector, partitions),
  };
}
