/** Finds the plugin of a connector's class on this worker. */
import { ConfigError, type ConnectorConfig } from '@millrace/sdk';
import type { PluginDescription, PluginRegistry } from '../../plugins/registry';
import type { ConnectorType } from '../entities';

const CONNECTORS = ['source', 'sink'] as const;

export class ConnectorPlugins {
  constructor(private readonly registry: PluginRegistry) {}

  /** Null when the class is not installed, or its name is ambiguous. */
  describe(config: ConnectorConfig | null): PluginDescription | null {
    const name = config?.['connector.class'];
    if (name === undefined) return null;
    try {
      return this.registry.find(name, CONNECTORS);
    } catch {
      return null;
    }
  }

  type(config: ConnectorConfig | null): ConnectorType {
    return (this.describe(config)?.type as ConnectorType | undefined) ?? 'unknown';
  }

  /** Throws ConfigError when the class is not installed or ambiguous. */
  require(config: ConnectorConfig): PluginDescription {
    const name = config['connector.class'] ?? '';
    const found = this.registry.find(name, CONNECTORS);
    if (found) return found;
    throw new ConfigError(`Failed to find any class that implements Connector and which name matches ${name}`, {
      code: 'PLUGIN_NOT_FOUND',
    });
  }
}

/** Written to `task.class`, so that a Java worker can start the task. */
export function taskClassOf(description: PluginDescription): string {
  return description.taskClass ?? description.class.replace(/Connector$/, 'Task');
}
