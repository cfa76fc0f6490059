/** Settings of Java that a worker would reject after its start: named with those that keep it from starting. */
import { ConfigError } from '@millrace/sdk';
import { builtInPlugins } from '../../built-in-plugins';
import { classDifferences } from '../../config/differences/class-differences';
import { differenceText } from '../../config/differences/difference';
import { workerDifferences } from '../../config/differences/worker-differences';
import { silentLogger } from '../../logging/logger';
import { createPluginRegistry } from '../../plugins/create-registry';

export function rejectedSettings(settings: Readonly<Record<string, string>>): readonly ConfigError[] {
  const pluginPath = (settings['plugin.path'] ?? '').split(',').map((folder) => folder.trim());
  const folders = pluginPath.filter((folder) => folder !== '');
  const registry = createPluginRegistry({ pluginPath: folders, builtIns: builtInPlugins, logger: silentLogger });
  return [...classDifferences(settings, registry), ...workerDifferences(settings)]
    .filter(({ kind }) => kind === 'rejected')
    .map(
      (difference) =>
        new ConfigError(`Worker setting ${differenceText(difference)}`, {
          code: 'WORKER_CONFIG_INVALID',
          place: { key: difference.key },
        }),
    );
}
