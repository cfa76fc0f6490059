/** The plugins that a connector and its tasks use, as its config names them. Pure. */
import type { ConnectorConfig, PluginType } from '@millrace/sdk';
import type { WorkerConfig } from '../../config/worker-config';
import type { PluginDescription, PluginRegistry } from '../../plugins/registry';

export type WorkerConverters = Pick<WorkerConfig, 'keyConverter' | 'valueConverter' | 'headerConverter'>;

/** A name in a config, which may be an alias. */
interface NamedKind {
  readonly name: string;
  readonly types: readonly PluginType[];
}

/** Names that are unknown or ambiguous are left out. */
export function usedPlugins(
  config: ConnectorConfig,
  worker: WorkerConverters,
  registry: Pick<PluginRegistry, 'find'>,
): PluginDescription[] {
  return pluginNames(config, worker).flatMap(({ name, types }) => {
    try {
      return registry.find(name, types) ?? [];
    } catch {
      return [];
    }
  });
}

function pluginNames(config: ConnectorConfig, worker: WorkerConverters): NamedKind[] {
  const named = (key: string, type: PluginType, fallback = ''): NamedKind[] => {
    const name = config[key]?.trim() || fallback;
    return name === '' ? [] : [{ name, types: [type] }];
  };
  /** The list of aliases in `list`; each has a `PREFIX.ALIAS.type`. */
  const listed = (list: string, prefix: string, type: PluginType): NamedKind[] =>
    (config[list] ?? '').split(',').flatMap((alias) => named(`${prefix}${alias.trim()}.type`, type));
  return [
    { name: config['connector.class'] ?? '', types: ['source', 'sink'] },
    ...named('key.converter', 'converter', worker.keyConverter),
    ...named('value.converter', 'converter', worker.valueConverter),
    ...named('header.converter', 'header_converter', worker.headerConverter),
    ...listed('transforms', 'transforms.', 'transformation'),
    ...listed('predicates', 'predicates.', 'predicate'),
    ...listed('converters', '', 'column_converter'),
  ];
}
