import type { PluginType } from '@millrace/sdk';

/** What Java's `plugin.path` would load as one unit: a folder of jars, a folder of classes, or one jar. */
export interface JavaUnit {
  /** Real path of the folder or jar; a JVM runs one unit. */
  readonly location: string;
  /** Real paths of its jars, or of the folder if it has only classes. */
  readonly classPath: readonly string[];
}

/** A plugin class in a unit. Plain data: it crosses threads. */
export interface JavaPlugin extends JavaUnit {
  readonly type: PluginType;
  readonly class: string;
  /** Of the manifest or file name of the jar with the class; `undefined`: unknown. */
  readonly version: string;
}

/** A plugin class of a kind that `GET /connector-plugins` never lists. */
export interface OtherJavaPlugin extends JavaUnit {
  readonly type: 'config_provider' | 'override_policy' | 'rest_extension';
  readonly class: string;
  readonly version: string;
}

export interface JarProblem {
  /** Path of the unit, or of the entry of `plugin.path`. */
  readonly location: string;
  /** A sentence with the file's name. */
  readonly message: string;
}

/** The plugins in jars, found without a JVM. */
export interface JavaDiscovery {
  readonly plugins: readonly JavaPlugin[];
  readonly others: readonly OtherJavaPlugin[];
  /** Units that a JVM can run. */
  readonly usable: readonly JavaUnit[];
  /** Those of them without a service file of a plugin: only their classes tell what they have. */
  readonly unscanned: readonly JavaUnit[];
  /** What cannot be read; everything else is found. */
  readonly problems: readonly JarProblem[];
}
