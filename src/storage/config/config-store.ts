/** Connector and task configs of the group, stored in the config topic. Source: connect-runtime §1.4. */
import { RetriableError, type ConnectorConfig, withDeadline } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { ChangePermission, Decider } from './change-permission';
import { causeHeaders, readCause, UNKNOWN_CAUSE, type Cause } from '../log/cause';
import type { CompactedLog, KeyValue, LogEntry, LogRecord } from '../log/compacted-log';
import type { TransactionalWriter } from '../log/transactional-writer';
import { ConfigChange } from './config-change';
import {
  commitRecord,
  connectorRecord,
  connectorTombstone,
  loggerRecord,
  restartRecord,
  sessionKeyRecord,
  targetStateRecord,
  targetStateTombstone,
  taskCountRecord,
  taskRecord,
  type SessionKey,
  type TargetState,
} from './config-records';
import type { ConfigSnapshot } from './config-snapshot';
import { ConfigState, type ConfigDelta, type ConfigEvent } from './config-state';

export type LeaderWriter = Pick<TransactionalWriter, 'isClaimed' | 'claim' | 'write' | 'relinquish' | 'close'>;

/** Called for every change that is read, those from before the start included. `at`: when its record was written. */
export type OnConfigDelta = (delta: ConfigDelta, at: number, cause: Cause) => void;

export class ConfigStore {
  private readonly state = new ConfigState((delta) => this.report(delta));
  private started = false;
  /** Of the record that is being applied. */
  private reading: { readonly at: number; readonly cause: Cause } = { at: 0, cause: UNKNOWN_CAUSE };

  /** `onEvent` is called for changes after start, when the snapshot already includes them. */
  constructor(
    private readonly log: CompactedLog,
    private readonly logger: Logger,
    private readonly onEvent: (event: ConfigEvent) => void,
    /** The one that the log has. (Default: none, writes are always allowed) */
    private readonly permission: ChangePermission | null = null,
    /** Writes what only the leader may write. (Default: the log, without transactions) */
    private readonly leaderWriter: LeaderWriter | null = null,
    private readonly onDelta: OnConfigDelta = () => undefined,
  ) {}

  async start(): Promise<void> {
    await this.log.start((record) => this.apply(record));
    this.started = true;
  }

  async stop(): Promise<void> {
    await Promise.all([this.leaderWriter?.close(), this.log.stop()]);
  }

  /** Whether the leader writes in transactions, which it must claim first. */
  get isTransactional(): boolean {
    return this.leaderWriter !== null;
  }

  /** For people: why no change can be stored; null: nothing is known to be wrong. */
  get problem(): string | null {
    return this.log.problem ?? null;
  }

  /** False: the leader must claim its transactions, for the first time or after a failure. */
  get canWriteAsLeader(): boolean {
    return this.leaderWriter?.isClaimed ?? true;
  }

  /** Fences earlier leaders, then reads what they have written. */
  async claimTransactions(readTimeoutMs: number): Promise<void> {
    if (this.leaderWriter === null) return;
    await this.leaderWriter.claim();
    await this.readToEnd(readTimeoutMs);
  }

  /** Leaves the transactions to the next leader. */
  async relinquishTransactions(): Promise<void> {
    await this.leaderWriter?.relinquish();
  }

  /** The state as last read. Cached until it changes. */
  snapshot(): ConfigSnapshot {
    return this.state.snapshot();
  }

  /** Rejects when it takes longer than `timeoutMs`. */
  async readToEnd(timeoutMs: number): Promise<void> {
    await withDeadline(
      this.log.readToEnd(),
      timeoutMs,
      () =>
        new RetriableError(`The config topic was not read to its end within ${timeoutMs} ms.`, {
          code: 'CONFIG_READ_TIMEOUT',
        }),
    );
  }

  /** What this worker has written, as far as it is acknowledged, and all before that. */
  async readWritten(): Promise<void> {
    await this.log.readWritten();
  }

  /** Leader only. Writes the target state first, so that no worker starts a connector that must be paused. */
  async putConnector(
    connector: string,
    config: ConnectorConfig,
    state: TargetState | null,
    cause = UNKNOWN_CAUSE,
  ): Promise<void> {
    const creates = !this.snapshot().contains(connector);
    await this.change('leader').run('Error writing connector configuration to Kafka', async (change) => {
      const records = [caused(connectorRecord(connector, config), creates ? { ...cause, creates } : cause)];
      await change.write(state === null ? records : [caused(targetStateRecord(connector, state), cause), ...records]);
      await change.readBack();
    });
  }

  /** Leader only. */
  async removeConnector(connector: string, cause = UNKNOWN_CAUSE): Promise<void> {
    await this.change('leader').run('Error removing connector configuration from Kafka', async (change) => {
      await change.write([caused(connectorTombstone(connector), cause), targetStateTombstone(connector)]);
      await change.readBack();
    });
  }

  /** Leader only. Workers apply the new task configs when they read the commit record. */
  async putTaskConfigs(connector: string, configs: readonly ConnectorConfig[], cause = UNKNOWN_CAUSE): Promise<void> {
    await this.change('leader').run('Error writing task configurations to Kafka', async (change) => {
      await change.readToEnd();
      if (configs.length > 0) {
        await change.prepare(configs.map((config, task) => taskRecord(connector, task, config)));
        await change.readBack();
      }
      await change.write([caused(commitRecord(connector, configs.length), cause)]);
      await change.readBack();
    });
  }

  /** Leader only. Also removes the task configs, so that workers stop the tasks even before they read the state. */
  async stopConnector(connector: string, cause = UNKNOWN_CAUSE): Promise<void> {
    await this.change('leader').run('Error writing target state to Kafka', async (change) => {
      await change.readToEnd();
      await change.write([
        caused(commitRecord(connector, 0), cause),
        caused(targetStateRecord(connector, 'STOPPED'), cause),
      ]);
      await change.readBack();
    });
  }

  /** Any worker. Does not wait until the change is read back. */
  async putTargetState(connector: string, state: TargetState, cause = UNKNOWN_CAUSE): Promise<void> {
    await this.change('any').run(
      'Error writing target state to Kafka',
      async (change) => await change.write([caused(targetStateRecord(connector, state), cause)]),
    );
  }

  /** Leader only. */
  async putSessionKey(key: SessionKey): Promise<void> {
    await this.change('leader').run('Error writing session key to Kafka', async (change) => {
      await change.write([sessionKeyRecord(key)]);
      await change.readBack();
    });
  }

  /** Leader only. The tasks of earlier generations have been fenced. */
  async putTaskCountRecord(connector: string, tasks: number): Promise<void> {
    await this.change('leader').run('Error writing task count record to Kafka', async (change) => {
      await change.write([taskCountRecord(connector, tasks)]);
      await change.readBack();
    });
  }

  /** Leader only. */
  async putRestartRequest(
    connector: string,
    includeTasks: boolean,
    onlyFailed: boolean,
    cause = UNKNOWN_CAUSE,
  ): Promise<void> {
    await this.change('leader').run('Error writing restart request to Kafka', async (change) => {
      await change.write([caused(restartRecord(connector, includeTasks, onlyFailed), cause)]);
      await change.readBack();
    });
  }

  /**
   * Any worker: restarts the connector, which then writes its task configs. Does not wait until the change is read
   * back.
   */
  async requestTaskConfigs(connector: string, cause: Cause): Promise<void> {
    await this.change('any').run(
      'Error writing restart request to Kafka',
      async (change) => await change.write([caused(restartRecord(connector, false, false), cause)]),
    );
  }

  /** Any worker. Does not wait until the change is read back. */
  async putLoggerLevel(namespace: string, level: string, cause = UNKNOWN_CAUSE): Promise<void> {
    await this.change('any').run(
      'Error writing logger level to Kafka',
      async (change) => await change.write([caused(loggerRecord(namespace, level), cause)]),
    );
  }

  /** Bound to the current epoch: dropped if the worker loses its session before the records are sent. */
  private change(decider: Decider): ConfigChange {
    const { log, leaderWriter } = this;
    const writer =
      decider === 'leader' && leaderWriter !== null
        ? {
            transactional: true,
            write: async (records: readonly LogEntry[], epoch = 0) => await leaderWriter.write(records, epoch),
          }
        : {
            transactional: false,
            write: async (records: readonly LogEntry[], epoch?: number) => await log.write(records, epoch),
          };
    return new ConfigChange(log, writer, this.permission, decider);
  }

  private report(delta: ConfigDelta): void {
    const { at, cause } = this.reading;
    // Before the start, an earlier config may have been compacted away.
    const creates = this.started && delta.kind === 'connector' && delta.before === null && delta.after !== null;
    this.onDelta(delta, at, creates ? { ...cause, creates } : cause);
  }

  private apply({ offset, timestamp, key, value, headers }: LogRecord): void {
    const name = key?.toString('utf8') ?? null;
    const cause = readCause(headers);
    this.reading = { at: timestamp, cause };
    const { event, problem } = this.state.apply(offset, name, value, cause);
    if (problem !== null)
      this.logger.warn(`The config topic's record at offset ${offset} was not applied: ${problem}`, { key: name });
    if (event !== null && this.started) this.onEvent(event);
  }
}

function caused([key, value]: KeyValue, cause: Cause): LogEntry {
  return cause === UNKNOWN_CAUSE ? [key, value] : [key, value, causeHeaders(cause)];
}
