/** Settings of Java that a worker would reject after its start: named with those that keep it from starting. */
import { ConfigError, type ConnectError } from '@millrace/sdk';
import { builtInPlugins } from '../../built-in-plugins';
import { classDifferences } from '../../config/differences/class-differences';
import { differenceText } from '../../config/differences/difference';
import { workerDifferences } from '../../config/differences/worker-differences';
import { silentLogger } from '../../logging/logger';
import { createPluginRegistry } from '../../plugins/create-registry';
import { clientProblems } from './client-problems';
import { providerProblems } from './provider-problems';
import { usableConfig } from './usable-config';

export async function rejectedSettings(settings: Readonly<Record<string, string>>): Promise<readonly ConnectError[]> {
  const pluginPath = (settings['plugin.path'] ?? '').split(',').map((folder) => folder.trim());
  const folders = pluginPath.filter((folder) => folder !== '');
  const registry = createPluginRegistry({ pluginPath: folders, builtIns: builtInPlugins, logger: silentLogger });
  await registry.discover();
  const differences = [...classDifferences(settings, registry), ...workerDifferences(settings)];
  // What is missing may follow from what is invalid, such as credentials of a JAAS file.
  const isGiven = ({ key }: { readonly key: string }): boolean => Object.hasOwn(settings, key);
  const ofClients = (await clientProblems(usableConfig(settings))).filter(isGiven);
  const rejected = [...differences, ...ofClients].flatMap(({ kind, ...found }) => {
    if (kind !== 'rejected') return [];
    const message = `Worker setting ${differenceText({ ...found, kind })}`;
    return [new ConfigError(message, { code: 'WORKER_CONFIG_INVALID', place: { key: found.key } })];
  });
  return [...rejected, ...providerProblems(settings, registry)];
}
