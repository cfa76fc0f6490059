import type { PluginType } from '@millrace/sdk';

/** A plugin class in a folder of jars. Plain data: it crosses threads. */
export interface JavaPlugin {
  readonly type: PluginType;
  readonly class: string;
  readonly version: string;
  /** Real path of the folder or jar that Java's `plugin.path` would load as one unit; a JVM runs one of them. */
  readonly location: string;
  /** Real paths of its jars, and of the folder if it has classes. */
  readonly classPath: readonly string[];
}
