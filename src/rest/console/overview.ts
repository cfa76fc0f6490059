/** All connectors and workers of the group, for the console. */
import type { ConnectorConfig } from '@millrace/sdk';
import type { ConnectorRecord, WorkerHealth } from '../../cluster/entities';
import type { Failure, Overview } from './api';
import type { ConsoleContext } from './console-context';
import { reasonOf } from './failure';
import type { GroupReports } from './group-reports';
import { STEP_MS, type RateHistory } from './rate-history';
import { connectorRow, failedParts, groupOf, workerRows, type FailedPart } from './rows';

/** Of a trace. Characters. */
const LONGEST_TRACE = 64 * 1024;

type Reason = Pick<Failure, 'code' | 'sentence' | 'hint'>;

export interface OverviewParts {
  readonly context: ConsoleContext;
  readonly reports: Pick<GroupReports, 'read'>;
  readonly history: RateHistory;
  readonly health: () => Promise<WorkerHealth>;
}

export class OverviewComputation {
  /** With the config: a trace is quoted without its secrets. */
  private readonly reasons = new WeakMap<
    ConnectorConfig,
    { readonly trace: string; readonly reason: Promise<Reason> }
  >();

  constructor(private readonly parts: OverviewParts) {}

  async compute(authorization: string | null): Promise<Overview> {
    const { context, reports, history, health } = this.parts;
    const herder = context.herder();
    const [report, { status, message }] = await Promise.all([reports.read(authorization), health()]);
    const at = Date.now();
    const group = groupOf(report);
    const records = herder.connectorRecords();
    const connectors = await Promise.all(
      records.map(async (record) => connectorRow(record, group, await this.failure(record))),
    );
    history.record(at, new Map(connectors.map(({ name, rate }) => [name, rate])));
    return {
      at,
      worker: herder.workerId,
      kafkaClusterId: herder.kafkaClusterId(),
      health: { status, message },
      connectors,
      workers: workerRows(connectors, report, herder.leaderUrl),
      historyStepMs: STEP_MS,
      history: [],
    };
  }

  /** The newest one. Lists have no traces. */
  private async failure(record: ConnectorRecord): Promise<Failure | null> {
    const [part] = failedParts(record);
    if (part === undefined) return null;
    const { at, task } = part;
    return { at, task, ...(await this.reason(record, part)), trace: '' };
  }

  private async reason({ config }: ConnectorRecord, { trace }: FailedPart): Promise<Reason> {
    const known = this.reasons.get(config);
    if (known?.trace === trace) return await known.reason;
    const reason = this.parts.context.secrets
      .inTextsFromAll(config)
      .then((hide) => reasonOf(hide(trace.slice(0, LONGEST_TRACE))));
    this.reasons.set(config, { trace, reason });
    return await reason;
  }
}
