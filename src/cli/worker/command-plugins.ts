/** The plugins of this installation, for commands that run their code. */
import { builtInPlugins } from '../../built-in-plugins';
import type { WorkerConfig } from '../../config/worker-config';
import { JvmSupervision } from '../../java/jvm-supervision';
import { LogLevels } from '../../logging/log-levels';
import type { Logger } from '../../logging/logger';
import { JarConfigProviders } from '../../plugins/jar-providers';
import { createPluginRegistry, type LocalPluginRegistry } from '../../plugins/create-registry';

export interface CommandPlugins {
  /** For placeholders. */
  readonly jarProviders: JarConfigProviders;
  readonly registry: LocalPluginRegistry;
  /** For plugin threads. */
  readonly jvmChannel: () => string | null;
  /** Ends the JVMs that were started. Never rejects. */
  close(): Promise<void>;
}

/** With those in jars. */
export async function commandPlugins(
  config: Pick<WorkerConfig, 'pluginPath' | 'jvm'>,
  logger: Logger,
  levels = new LogLevels('WARN'),
): Promise<CommandPlugins> {
  const jvms = new JvmSupervision({ settings: config.jvm, logger, levels });
  const registry = createPluginRegistry({
    pluginPath: config.pluginPath,
    builtIns: builtInPlugins,
    logger,
    jvms: () => jvms.jvms(),
  });
  await registry.discover();
  return {
    registry,
    jarProviders: new JarConfigProviders({ catalog: () => registry.catalog, jvms: () => jvms.jvms() }),
    jvmChannel: () => (registry.list().some(({ java }) => java) ? jvms.channel() : null),
    close: async () => await jvms.close(),
  };
}
