/** Calls to a connector's module, used in the worker's thread and in plugin threads. */
import { checkInstance, checkTaskConfigs, ConnectError, messageOf } from '@millrace/sdk';
import type {
  Connector,
  ConnectorConfig,
  ConnectorInstance,
  DiagnosisContext,
  Finding,
  OffsetChange,
  SourceConnectorContext,
} from '@millrace/sdk';
import type { HostedConnector, InstanceEvents, SinkOffsetPairs, SourceOffsetPairs } from './host';

export function createInstance(
  plugin: Connector,
  { connector, config, description, workerSettings, preview }: HostedConnector,
  events: InstanceEvents,
): ConnectorInstance {
  if (!plugin.create) throw new ConnectError(`${description.class} creates no instances.`);
  const context: SourceConnectorContext = {
    connector,
    workerSettings,
    ...(preview && { preview }),
    logger: events.logger,
    requestTaskReconfiguration: () => events.requestTaskReconfiguration(),
    raiseError: (error) => events.raiseError(error),
    offsets: events.offsets,
  };
  const instance = checkInstance(plugin.create(config, context), description.class);
  // Only these methods: another method of the plugin may have the name of one of HostedInstance.
  return {
    start: () => instance.start?.(),
    taskConfigs: async (maxTasks) => checkTaskConfigs(await instance.taskConfigs(maxTasks), description.class),
    stop: () => instance.stop?.(),
    release: () => {
      try {
        instance.release?.();
      } catch (error) {
        events.logger.warn(`Ignoring an error of release(): ${messageOf(error)}`, { error });
      }
    },
  };
}

/** True: the plugin reports that it altered the offsets. */
export async function alterOffsets(
  plugin: Connector,
  config: ConnectorConfig,
  offsets: SourceOffsetPairs | SinkOffsetPairs,
  change: OffsetChange,
): Promise<boolean> {
  return (await plugin.alterOffsets?.(config, offsets as never, change)) === true;
}

/** Null: the plugin has no diagnosis. */
export async function diagnose(
  plugin: Connector,
  config: ConnectorConfig,
  context: DiagnosisContext,
): Promise<readonly Finding[] | null> {
  return (await plugin.diagnose?.(config, context)) ?? null;
}
