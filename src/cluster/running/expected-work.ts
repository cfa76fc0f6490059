/**
 * Prepares, while a worker joins its group, for the work that its last process ran: it will probably be assigned again.
 * Starting threads and loading plugins takes about as long as the rebalance does.
 */
import type { ConnectorConfig } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { PluginHost } from '../../plugin-host/host';
import type { ConfigSnapshot } from '../../storage/config/config-snapshot';
import type { StatusCache } from '../../storage/status/status-cache';
import type { TaskHost } from '../../tasks/host';
import type { ConnectorPlugins } from './connector-plugins';

export interface ExpectedWorkOptions {
  readonly workerId: string;
  readonly snapshot: ConfigSnapshot;
  readonly statuses: Pick<StatusCache, 'connector' | 'task'>;
  readonly plugins: Pick<ConnectorPlugins, 'describe'>;
  readonly pluginHost: Pick<PluginHost, 'traits'>;
  readonly host: Pick<TaskHost, 'prepare'>;
  readonly logger: Logger;
}

/** Waits for nothing; failures will be reported when the work starts. */
export function prepareExpectedWork(options: ExpectedWorkOptions): void {
  const { workerId, snapshot, statuses, plugins, pluginHost, host, logger } = options;
  const classes = new Set<string>();
  const ofTasks: ConnectorConfig[] = [];
  for (const connector of snapshot.connectors()) {
    const config = snapshot.connectorConfig(connector);
    if (config === null || snapshot.targetState(connector) !== 'STARTED') continue;
    const tasks = snapshot.tasks(connector).filter(({ task }) => statuses.task(connector, task)?.workerId === workerId);
    ofTasks.push(...tasks.map(() => config));
    if (tasks.length === 0 && statuses.connector(connector)?.workerId !== workerId) continue;
    const description = plugins.describe(config);
    if (description === null || classes.has(description.class)) continue;
    classes.add(description.class);
    pluginHost
      .traits(description)
      .catch((error: unknown) => logger.debug(`Cannot load ${description.class} ahead of its work`, { error }));
  }
  if (ofTasks.length > 0) host.prepare(ofTasks);
}
