/** Names the plugins of a connector and its tasks, from its config. */
import type { ConnectorConfig, PluginType } from '@millrace/sdk';
import type { WorkerConfig } from '../../config/worker-config';
import type { NamedPlugin } from '../../metrics/worker-groups';
import type { PluginRegistry } from '../../plugins/registry';
import type { ConnectorPlugins } from './connector-plugins';

const PARTS = ['key', 'value', 'header'] as const;

export class PluginNames {
  constructor(
    private readonly plugins: ConnectorPlugins,
    private readonly registry: PluginRegistry,
    private readonly worker: Pick<WorkerConfig, 'keyConverter' | 'valueConverter' | 'headerConverter'>,
  ) {}

  connector(config: ConnectorConfig | null): NamedPlugin & { readonly type: string } {
    const found = this.plugins.describe(config);
    const type = this.plugins.type(config);
    return { type, class: found?.class ?? config?.['connector.class'] ?? '', version: found?.version ?? null };
  }

  /** By kind: `connector`, `task`, `key-converter`, `value-converter`, `header-converter`. */
  ofTask(config: ConnectorConfig | null): ReadonlyMap<string, NamedPlugin> {
    const { keyConverter, valueConverter, headerConverter } = this.worker;
    const workers = { key: keyConverter, value: valueConverter, header: headerConverter };
    const found = this.plugins.describe(config);
    const names = new Map<string, NamedPlugin>([['connector', this.connector(config)]]);
    if (found !== null) names.set('task', { class: this.plugins.taskClass(found), version: found.version });
    for (const part of PARTS) {
      const name = config?.[`${part}.converter`]?.trim() || workers[part];
      names.set(`${part}-converter`, this.named(name, part === 'header' ? 'header_converter' : 'converter'));
    }
    return names;
  }

  private named(name: string, type: PluginType): NamedPlugin {
    try {
      const found = this.registry.find(name, type);
      return { class: found?.class ?? name, version: found?.version ?? null };
    } catch {
      // The name is ambiguous, so the task has failed.
      return { class: name, version: null };
    }
  }
}
