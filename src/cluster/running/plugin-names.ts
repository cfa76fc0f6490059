/** Names the plugins of a connector and its tasks, from its config. */
import type { ConnectorConfig } from '@millrace/sdk';
import type { NamedPlugin } from '../../metrics/worker-groups';
import type { PluginRegistry } from '../../plugins/registry';
import type { ConnectorPlugins } from './connector-plugins';
import { converterOf, type NamedKind, type WorkerConverters } from './used-plugins';

const PARTS = ['key', 'value', 'header'] as const;

export class PluginNames {
  constructor(
    private readonly plugins: ConnectorPlugins,
    private readonly registry: PluginRegistry,
    private readonly worker: WorkerConverters,
  ) {}

  connector(config: ConnectorConfig | null): NamedPlugin & { readonly type: string } {
    const found = this.plugins.describe(config);
    const type = this.plugins.type(config);
    return { type, class: found?.class ?? config?.['connector.class'] ?? '', version: found?.version ?? null };
  }

  /** By kind: `connector`, `task`, `key-converter`, `value-converter`, `header-converter`. */
  ofTask(config: ConnectorConfig | null): ReadonlyMap<string, NamedPlugin> {
    const found = this.plugins.describe(config);
    const names = new Map<string, NamedPlugin>([['connector', this.connector(config)]]);
    if (found !== null) names.set('task', { class: this.plugins.taskClass(found), version: found.version });
    for (const part of PARTS) {
      names.set(`${part}-converter`, this.named(converterOf(part, config ?? {}, this.worker)));
    }
    return names;
  }

  private named({ name, types, version }: NamedKind): NamedPlugin {
    try {
      const found = this.registry.find(name, types, version);
      return { class: found?.class ?? name, version: found?.version ?? null };
    } catch {
      // The name is ambiguous, or the version is not installed, so the task has failed.
      return { class: name, version: null };
    }
  }
}
