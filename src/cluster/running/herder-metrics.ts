/**
 * Metrics of this worker's own connectors and tasks; each worker of a group reports its own. Source: connect-runtime
 * §9.
 */
import type { GroupMetrics } from '../../metrics/group-metrics';
import type { OpenClients } from '../../metrics/open-clients';
import type { WorkMetrics } from '../../metrics/work-metrics';
import type { ConfigSnapshot } from '../../storage/config/config-snapshot';
import type { StatusCache } from '../../storage/status/status-cache';
import type { ConnectProtocolName } from '../group/connect-protocol';
import type { ConnectorSet } from './connector-set';
import type { WorkerFigures } from '../entities';
import type { Membership } from '../group/membership';
import type { PluginNames } from './plugin-names';
import type { TaskHost } from '../../tasks/host';
import type { TaskSet } from './task-set';

type TaskPlugins = ReturnType<PluginNames['ofTask']>;

export interface HerderMetricsParts {
  readonly work: WorkMetrics;
  readonly group: GroupMetrics;
  readonly connectors: ConnectorSet;
  readonly tasks: TaskSet;
  readonly host: Pick<TaskHost, 'watch' | 'thread'>;
  readonly membership: Membership;
  readonly statuses: StatusCache;
  readonly plugins: PluginNames;
  readonly snapshot: () => ConfigSnapshot;
  /** Of the client that joins the group. */
  readonly clientId: string;
  /** The worker's own. */
  readonly clients: OpenClients;
}

const PROTOCOLS: Readonly<Record<ConnectProtocolName, string>> = {
  default: 'EAGER',
  compatible: 'COMPATIBLE',
  sessioned: 'SESSIONED',
};

export class HerderMetrics {
  constructor(private readonly parts: HerderMetricsParts) {}

  figures(): WorkerFigures {
    const { work, group, connectors, tasks, host, membership, plugins, clientId, clients } = this.parts;
    const configs = this.parts.snapshot();
    const all = work.all();
    const watch = host.watch();
    // The tasks of a connector have the same plugins.
    const named = new Map<string, TaskPlugins>();
    const pluginsOf = (connector: string): TaskPlugins => {
      const known = named.get(connector) ?? plugins.ofTask(configs.connectorConfig(connector));
      named.set(connector, known);
      return known;
    };
    const names = connectors.names();
    const { protocol } = membership;
    const assigned = membership.work;
    return {
      clientId,
      connectors: all.flatMap(({ instance: { connector, task }, states }) =>
        task === null && connectors.runner(connector) !== null
          ? [{ connector, states, ...plugins.connector(configs.connectorConfig(connector)) }]
          : [],
      ),
      tasks: all.flatMap(({ instance: { connector, task }, states, metrics, published, clients: own, condition }) =>
        task !== null && metrics !== null && tasks.has({ connector, task })
          ? [
              {
                ...{ connector, task, states, metrics, connectorType: metrics.type },
                published: [...published.values()],
                clients: own.all(),
                condition,
                watch: watch({ connector, task }),
                thread: host.thread({ connector, task }),
                // Found when they are read: the console, for one, does not.
                get plugins(): TaskPlugins {
                  return pluginsOf(connector);
                },
              },
            ]
          : [],
      ),
      taskStates: this.taskStates(),
      worker: {
        connectors: names.length,
        tasks: tasks.ids().length,
        connectorStarts: work.connectorStarts,
        taskStarts: work.taskStarts,
      },
      membership: {
        clientId,
        protocol: protocol === null ? null : PROTOCOLS[protocol],
        leaderUrl: membership.leaderUrl,
        generation: membership.generation,
        isMember: membership.isMember,
        assignedConnectors: assigned.connectors.length,
        assignedTasks: assigned.tasks.length,
        group,
      },
      clients: clients.all(),
    };
  }

  /** States of this worker's tasks, from the status topic. */
  private taskStates(): WorkerFigures['taskStates'] {
    const { tasks, statuses } = this.parts;
    const states = new Map<string, string[]>();
    for (const { connector, task } of tasks.ids()) {
      const state = statuses.task(connector, task)?.state ?? 'UNASSIGNED';
      const found = states.get(connector) ?? [];
      found.push(state.toLowerCase());
      states.set(connector, found);
    }
    return [...states].map(([connector, found]) => ({ connector, states: found }));
  }
}
