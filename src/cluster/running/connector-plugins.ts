/** Finds the plugin of a connector's class on this worker. */
import { ConfigError, type ConnectorConfig } from '@millrace/sdk';
import type { ConnectorTraits } from '../../plugin-host/host';
import type { PluginDescription, PluginRegistry } from '../../plugins/registry';
import type { ConnectorType } from '../entities';

const VERSION = 'connector.plugin.version';
const CONNECTORS = ['source', 'sink'] as const;

export class ConnectorPlugins {
  /** Of loaded plugins whose manifest does not name it. */
  private readonly taskClasses = new WeakMap<PluginDescription, string>();

  constructor(private readonly registry: PluginRegistry) {}

  /** Null when the class is not installed in the version that the config asks for, or its name is ambiguous. */
  describe(config: ConnectorConfig | null): PluginDescription | null {
    const name = config?.['connector.class'];
    if (name === undefined) return null;
    try {
      return this.registry.find(name, CONNECTORS, config?.[VERSION]);
    } catch {
      return null;
    }
  }

  type(config: ConnectorConfig | null): ConnectorType {
    return (this.describe(config)?.type as ConnectorType | undefined) ?? 'unknown';
  }

  /** The plugin is loaded. */
  onLoaded(description: PluginDescription, { taskClass }: Pick<ConnectorTraits, 'taskClass'>): void {
    if (taskClass !== null) this.taskClasses.set(description, taskClass);
  }

  /** See `taskClassOf`. */
  taskClass(description: PluginDescription): string {
    return taskClassOf(description, { taskClass: this.taskClasses.get(description) ?? null });
  }

  /** Throws ConfigError when the class is not installed in that version, or ambiguous. */
  require(config: ConnectorConfig): PluginDescription {
    const name = config['connector.class'] ?? '';
    const found = this.registry.find(name, CONNECTORS, config[VERSION]);
    if (found) return found;
    throw new ConfigError(`Failed to find any class that implements Connector and which name matches ${name}`, {
      code: 'PLUGIN_NOT_FOUND',
    });
  }
}

/**
 * Written to `task.class`, so that a Java worker can start the task.
 * @param traits of the loaded plugin (Default: not loaded)
 */
export function taskClassOf(description: PluginDescription, traits?: Pick<ConnectorTraits, 'taskClass'>): string {
  return description.taskClass ?? traits?.taskClass ?? description.class.replace(/Connector$/, 'Task');
}
