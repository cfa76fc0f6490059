/** The health of the group's connectors and of this worker, for the public routes and the console. */
import type { ConnectorRow, Failure } from '@millrace/console';
import type { ConnectorRecord, WorkerHealth } from '../../cluster/entities';
import type { ForwardRequest } from '../../cluster/forwarding/forwarding';
import type { Herder } from '../../cluster/herder';
import { ConnectorPlugins } from '../../cluster/running/connector-plugins';
import { deadLetterTopics } from '../../config/dead-letter-topics';
import type { PluginRegistry } from '../../plugins/registry';
import type { HiddenSecrets } from '../auth/hidden-secrets';
import { GroupReports, type GroupReport } from '../reports/group-reports';
import { workerReport, type WorkerReport } from '../reports/worker-report';
import { Failures } from './failures';
import { connectorRow, groupOf, type Group } from './rows';
import { type ConnectorRuntime, jvmsOf, pluginInUse } from './runtime';
import type { JvmState } from '../../metrics/jvm-groups';

export interface GroupHealthOptions {
  readonly herder: () => Herder;
  /** How this worker is, without a long wait for a herder that is busy for a moment, as in a rebalance. */
  readonly worker: () => Promise<WorkerHealth>;
  readonly registry: PluginRegistry;
  readonly secrets: HiddenSecrets;
  /** Sends a request to another worker. */
  readonly send: ForwardRequest;
  readonly millraceVersion: string;
  /** Of this worker. (Default: none) */
  readonly jvms?: () => readonly JvmState[];
}

/** What the workers of the group report at one moment. */
export interface ReportedGroup extends Group {
  readonly report: GroupReport;
}

export class GroupHealth {
  readonly reports: GroupReports;
  readonly failures: Failures;
  readonly worker: () => Promise<WorkerHealth>;
  private readonly plugins: ConnectorPlugins;

  /** Does nothing until it is asked. */
  constructor(private readonly options: GroupHealthOptions) {
    const { herder, send, secrets, registry, worker } = options;
    this.worker = worker;
    this.failures = new Failures(secrets);
    this.plugins = new ConnectorPlugins(registry);
    this.reports = new GroupReports({ herder, own: async () => await this.ownReport(), send });
  }

  async ownReport(): Promise<WorkerReport> {
    const { millraceVersion, herder, jvms } = this.options;
    const found = await this.worker();
    return workerReport(millraceVersion, herder().figures(), found, Date.now(), jvms?.());
  }

  async group(authorization: string | null): Promise<ReportedGroup> {
    const report = await this.reports.read(authorization);
    return { ...groupOf(report, this.options.herder().absence), report };
  }

  /** @param failures of its failed parts. (Default: the newest ones, without traces) */
  async row(record: ConnectorRecord, group: Group, failures?: readonly Failure[]): Promise<ConnectorRow> {
    const { config } = record;
    const topics = deadLetterTopics(config, this.plugins.describe(config)?.deadLetters);
    return connectorRow(record, group, {
      failures: failures ?? (await this.failures.first(record)),
      deadLetterTopic: topics[0]?.topic ?? null,
      now: Date.now(),
    });
  }

  /** Of the connector with this row. */
  runtime({ config }: Pick<ConnectorRecord, 'config'>, row: ConnectorRow, group: ReportedGroup): ConnectorRuntime {
    const plugin = pluginInUse(this.plugins.describe(config), this.options.registry.list(), row.version);
    return { plugin, jvms: jvmsOf(row, plugin, group.report.workers) };
  }

  /** All connectors, at the same moment. */
  async rows(group: Group): Promise<ConnectorRow[]> {
    const records = this.options.herder().reads.records();
    return await Promise.all(records.map(async (record) => await this.row(record, group)));
  }
}
