/** Calls of a connector's module, the same in whichever thread it is. */
import { ConnectError } from '@millrace/sdk';
import type { Connector, ConnectorConfig, ConnectorInstance, SourceConnectorContext } from '@millrace/sdk';
import type { HostedConnector, InstanceEvents, SinkOffsetPairs, SourceOffsetPairs } from './host';

export function createInstance(
  plugin: Connector,
  { connector, config, description, workerSettings }: HostedConnector,
  events: InstanceEvents,
): ConnectorInstance {
  if (!plugin.create) throw new ConnectError(`${description.class} makes no instances.`);
  const context: SourceConnectorContext = {
    connector,
    workerSettings,
    logger: events.logger,
    requestTaskReconfiguration: () => events.requestTaskReconfiguration(),
    raiseError: (error) => events.raiseError(error),
    offsets: events.offsets,
  };
  const made = plugin.create(config, context);
  // Nothing else of it: a method of the plugin's own may have the name of one of ours.
  return {
    start: () => made.start?.(),
    taskConfigs: (maxTasks) => made.taskConfigs(maxTasks),
    stop: () => made.stop?.(),
  };
}

/** Whether it has, if it can say so. */
export async function alterOffsets(
  plugin: Connector,
  config: ConnectorConfig,
  offsets: SourceOffsetPairs | SinkOffsetPairs,
): Promise<boolean> {
  return (await plugin.alterOffsets?.(config, offsets as never)) === true;
}
