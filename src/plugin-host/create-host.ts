/** Creates the plugin host that the worker settings select, and its validator. */
import { join } from 'node:path';
import type { ConfigResolver } from '../config/providers/config-resolver';
import type { ConfigValidator } from '../config/validation/config-infos';
import { createConfigValidator } from '../config/validation/connector-validator';
import type { WorkerConfig } from '../config/worker-config';
import type { LogLevels } from '../logging/log-levels';
import type { Logger } from '../logging/logger';
import type { PluginRegistry } from '../plugins/registry';
import type { PluginHost, ReadRecords } from './host';
import { InlinePluginHost } from './inline-plugin-host';
import { ThreadPluginHost } from './threads/thread-plugin-host';

export interface CreatePluginHostOptions {
  readonly config: WorkerConfig;
  /** With `catalog`, threads need not scan the plugin folders. */
  readonly registry: PluginRegistry & { readonly catalog: unknown };
  /** For a host in this thread: plugin threads have their own. (Default: records cannot be read) */
  readonly recordTexts?: ReadRecords;
  readonly resolver: Pick<ConfigResolver, 'resolve'>;
  readonly logger: Logger;
  readonly levels: LogLevels;
  /** Where new threads reach the JVMs of plugins in jars. (Default: they cannot) */
  readonly jvmChannel?: () => string | null;
}

export function createPluginHost(
  kind: WorkerConfig['taskHost'],
  { config, registry, recordTexts, resolver, logger, levels, jvmChannel = () => null }: CreatePluginHostOptions,
): { readonly pluginHost: PluginHost; readonly validator: ConfigValidator } {
  if (kind === 'inline')
    return {
      pluginHost: new InlinePluginHost(registry, recordTexts),
      validator: createConfigValidator({ registry, config, resolver, logger }),
    };
  const host = new ThreadPluginHost({
    data: {
      settings: config.raw,
      get catalog() {
        return registry.catalog;
      },
      get jvms() {
        return jvmChannel();
      },
    },
    module: join(__dirname, '..', 'bundle', 'plugin-thread.js'),
    silenceMs: config.pluginSilenceMs,
    resolver,
    logger,
    levels,
  });
  return { pluginHost: host, validator: host };
}
