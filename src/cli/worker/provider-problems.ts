/** What a worker says about its config providers once it has found the jars. */
import type { ConnectError } from '@millrace/sdk';
import { createConfigResolver } from '../../config/providers/config-resolver';
import type { LocalPluginRegistry } from '../../plugins/create-registry';
import { JarConfigProviders } from '../../plugins/jar-providers';

/** Only those that `createConfigResolver` does not reject. The registry has discovered its plugins. */
export function providerProblems(
  settings: Readonly<Record<string, string>>,
  registry: Pick<LocalPluginRegistry, 'catalog'>,
): readonly ConnectError[] {
  const jars = new JarConfigProviders({ catalog: () => registry.catalog, jvms: null });
  try {
    const resolver = createConfigResolver({ settings: providerClasses(settings), env: {}, warn: () => undefined });
    return [...resolver.useJars(jars), ...resolver.tooEarly(settings)];
  } catch {
    // Reported where the settings are parsed.
    return [];
  }
}

/** Without the parameters, which may name folders of another machine. */
export function providerClasses(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !/^config\.providers\..*\.param\./.test(key)));
}
