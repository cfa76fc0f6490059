/** Runs the code of plug-ins in this thread: for tests and debugging. */
import { ConnectError, type Connector, type ConnectorConfig, type SourceConnectorContext } from '@millrace/sdk';
import type { PluginDescription, PluginRegistry } from '../plugins/registry';
import { traitsOf } from './connector-traits';
import type {
  ConnectorTraits,
  HostedConnector,
  HostedInstance,
  InstanceEvents,
  PluginHost,
  SinkOffsetPairs,
  SourceOffsetPairs,
} from './host';

export class InlinePluginHost implements PluginHost {
  constructor(private readonly registry: PluginRegistry) {}

  async traits(description: PluginDescription): Promise<ConnectorTraits> {
    return traitsOf(await this.load(description));
  }

  async create({ description, ...connector }: HostedConnector, events: InstanceEvents): Promise<HostedInstance> {
    const plugin = await this.load(description);
    const context: SourceConnectorContext = {
      connector: connector.connector,
      workerSettings: connector.workerSettings,
      logger: events.logger,
      requestTaskReconfiguration: () => events.requestTaskReconfiguration(),
      raiseError: (error) => events.raiseError(error),
      offsets: events.offsets,
    };
    if (plugin.create) return plugin.create(connector.config, context);
    throw new ConnectError(`${description.class} makes no instances.`);
  }

  async alterOffsets(
    description: PluginDescription,
    config: ConnectorConfig,
    offsets: SourceOffsetPairs | SinkOffsetPairs,
  ): Promise<boolean> {
    const plugin = await this.load(description);
    return (await plugin.alterOffsets?.(config, offsets as never)) === true;
  }

  async close(): Promise<void> {}

  private async load(description: PluginDescription): Promise<Connector> {
    return (await this.registry.load(description)) as Connector;
  }
}
