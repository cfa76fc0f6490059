/** Runs plugin code in this thread: for tests and debugging. */
import type { Connector, ConnectorConfig, DiagnosisContext, Finding, OffsetChange } from '@millrace/sdk';
import type { PluginDescription, PluginRegistry } from '../plugins/registry';
import { alterOffsets, createInstance, diagnose } from './connector-calls';
import { traitsOf } from './connector-traits';
import type {
  ConnectorTraits,
  HostedConnector,
  HostedInstance,
  InstanceEvents,
  PluginHost,
  ReadRecords,
  SinkOffsetPairs,
  SourceOffsetPairs,
} from './host';

export class InlinePluginHost implements PluginHost {
  /** @param recordTexts (Default: records cannot be read) */
  constructor(
    private readonly registry: PluginRegistry,
    readonly recordTexts: ReadRecords = () => Promise.reject(new Error('This host reads no records.')),
  ) {}

  async traits(description: PluginDescription): Promise<ConnectorTraits> {
    return traitsOf(await this.load(description));
  }

  async create(connector: HostedConnector, events: InstanceEvents): Promise<HostedInstance> {
    return createInstance(await this.load(connector.description), connector, events);
  }

  async alterOffsets(
    description: PluginDescription,
    config: ConnectorConfig,
    offsets: SourceOffsetPairs | SinkOffsetPairs,
    change: OffsetChange,
  ): Promise<boolean> {
    return await alterOffsets(await this.load(description), config, offsets, change);
  }

  async diagnose(
    description: PluginDescription,
    config: ConnectorConfig,
    context: DiagnosisContext,
  ): Promise<readonly Finding[] | null> {
    return await diagnose(await this.load(description), config, context);
  }

  retireThreads(): void {
    // Has none.
  }

  async close(): Promise<void> {}

  private async load(description: PluginDescription): Promise<Connector> {
    return (await this.registry.load(description)) as Connector;
  }
}
