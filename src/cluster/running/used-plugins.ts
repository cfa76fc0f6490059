/** The plugins that a connector and its tasks use, as its config names them. Pure. */
import type { ConnectorConfig, PluginType } from '@millrace/sdk';
import type { WorkerConfig } from '../../config/worker-config';
import type { PluginDescription, PluginRegistry } from '../../plugins/registry';

export type WorkerConverters = Pick<WorkerConfig, 'keyConverter' | 'valueConverter' | 'headerConverter'> &
  Partial<Pick<WorkerConfig, 'withPrefix'>>;

/** A name in a config, which may be an alias. */
export interface NamedKind {
  readonly name: string;
  readonly types: readonly PluginType[];
  /** As the config asks for it. */
  readonly version?: string | undefined;
}

/** Names that are unknown or ambiguous, and versions that are not installed, are left out. */
export function usedPlugins(
  config: ConnectorConfig,
  worker: WorkerConverters,
  registry: Pick<PluginRegistry, 'find'>,
): PluginDescription[] {
  return pluginNames(config, worker).flatMap(({ name, types, version }) => {
    try {
      return registry.find(name, types, version) ?? [];
    } catch {
      return [];
    }
  });
}

function pluginNames(config: ConnectorConfig, worker: WorkerConverters): NamedKind[] {
  /** The list of aliases in `list`; each has a `PREFIX.ALIAS.type`. */
  const listed = (list: string, prefix: string, type: PluginType): NamedKind[] =>
    (config[list] ?? '').split(',').flatMap((alias) => {
      const of = `${prefix}${alias.trim()}`;
      const name = config[`${of}.type`]?.trim() ?? '';
      return name === '' ? [] : [{ name, types: [type], version: config[`${of}.plugin.version`] }];
    });
  return [
    { name: config['connector.class'] ?? '', types: ['source', 'sink'], version: config['connector.plugin.version'] },
    ...(['key', 'value', 'header'] as const).map((part) => converterOf(part, config, worker)),
    ...listed('transforms', 'transforms.', 'transformation'),
    ...listed('predicates', 'predicates.', 'predicate'),
    ...listed('converters', '', 'column_converter'),
  ];
}

/** The connector's own converter, or the worker's. */
export function converterOf(
  part: 'key' | 'value' | 'header',
  config: ConnectorConfig,
  worker: WorkerConverters,
): NamedKind {
  const key = `${part}.converter`;
  const types: readonly PluginType[] = [part === 'header' ? 'header_converter' : 'converter'];
  const own = config[key]?.trim();
  if (own) return { name: own, types, version: config[`${key}.plugin.version`] };
  const workers = { key: worker.keyConverter, value: worker.valueConverter, header: worker.headerConverter };
  return { name: workers[part], types, version: worker.withPrefix?.(`${key}.`)['plugin.version'] };
}
