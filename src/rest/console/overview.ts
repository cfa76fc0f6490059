/** All connectors and workers of the group, for the console. */
import type { WorkerHealth } from '../../cluster/entities';
import { ConnectorPlugins } from '../../cluster/running/connector-plugins';
import type { Overview } from '@millrace/console';
import type { ConsoleContext } from './console-context';
import type { Failures } from './failures';
import type { GroupReports } from './group-reports';
import { STEP_MS, type RateHistory } from './rate-history';
import { connectorRow, groupOf, workerRows } from './rows';

/** What the console's answers are computed from. */
export interface ConsoleSources {
  readonly context: ConsoleContext;
  readonly reports: GroupReports;
  readonly history: RateHistory;
  readonly failures: Failures;
  readonly health: () => Promise<WorkerHealth>;
}

export async function overviewOf(parts: ConsoleSources, authorization: string | null): Promise<Overview> {
  const { context, reports, history, failures, health } = parts;
  const herder = context.herder();
  const [report, { status, message }] = await Promise.all([reports.read(authorization), health()]);
  const at = Date.now();
  const group = groupOf(report);
  const connectors = await Promise.all(
    herder.reads.records().map(async (record) => connectorRow(record, group, await failures.newest(record))),
  );
  history.record(at, new Map(connectors.map(({ name, rate }) => [name, rate])));
  return {
    at,
    worker: herder.workerId,
    kafkaClusterId: herder.kafkaClusterId(),
    health: { status, message },
    connectors,
    effects: effectsOf(connectors, context.registry),
    workers: workerRows(connectors, report, herder.leaderUrl),
    historyStepMs: STEP_MS,
    history: [],
  };
}

function effectsOf(connectors: Overview['connectors'], registry: ConsoleContext['registry']): Overview['effects'] {
  const classes = new Set(connectors.map(({ className }) => className));
  const plugins = new ConnectorPlugins(registry);
  return Object.fromEntries(
    [...classes].flatMap((name) => {
      const effects = plugins.describe({ 'connector.class': name })?.console?.effects;
      return effects ? [[name, effects]] : [];
    }),
  );
}
