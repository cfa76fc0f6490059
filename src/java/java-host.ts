/** The package that runs Java plugins. It is optional, and loaded when a folder of `plugin.path` has jars. */
import type {
  connectJvms,
  JavaConfigProvider,
  JavaDiscovery,
  JavaPlugin,
  JavaUnit,
  Jvms,
  JvmSupervisor,
  scanJavaUnits,
} from '@millrace/java-host';
import type { Connector, ConverterPlugin, HeaderConverterPlugin } from '@millrace/sdk';
import type { PredicatePlugin, TransformationPlugin } from '@millrace/sdk';

export interface JavaHost {
  discoverJavaPlugins(units: readonly JavaUnit[]): Promise<JavaDiscovery>;
  readonly scanJavaUnits: typeof scanJavaUnits;
  loadJavaPlugin(
    plugin: JavaPlugin,
    jvms: Jvms,
  ): Promise<Connector | ConverterPlugin | HeaderConverterPlugin | TransformationPlugin | PredicatePlugin>;
  readonly JvmSupervisor: typeof JvmSupervisor;
  readonly connectJvms: typeof connectJvms;
  readonly JavaConfigProvider: typeof JavaConfigProvider;
}

export const JAVA_HOST = '@millrace/java-host';

/** Null: it is not installed. By module resolution, because npm places it beside the worker or inside of it. */
export function javaHost(): JavaHost | null {
  try {
    require.resolve(JAVA_HOST);
  } catch {
    return null;
  }
  // A bundle must not contain it.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require(JAVA_HOST) as JavaHost;
}
