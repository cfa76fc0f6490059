/** The tasks of connectors whose plugin creates no instances. */
import type { ConnectorConfig } from '@millrace/sdk';
import type { ConnectorTraits, HostedInstance } from '../../plugin-host/host';
import type { PluginDescription } from '../../plugins/registry';
import { MAX_TASKS } from './task-configs';

/**
 * A sink has `tasks.max` tasks, a source one, or as many as the plugin's setting says; each has the connector's own
 * config.
 */
export function defaultInstance(
  type: PluginDescription['type'],
  { taskCountKey }: Pick<ConnectorTraits, 'taskCountKey'>,
  config: ConnectorConfig,
): HostedInstance {
  const count = taskCountKey === null ? 1 : Number(config[taskCountKey] ?? 1);
  const ofSource = Number.isInteger(count) && count > 0 && count <= MAX_TASKS ? count : 1;
  return { taskConfigs: (max) => Array.from({ length: type === 'source' ? ofSource : max }, () => config) };
}
