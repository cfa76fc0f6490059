/** Connector and task configs of the group, stored in the config topic. Source: connect-runtime §1.4. */
import { RetriableError, type ConnectorConfig, withDeadline } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { ChangePermission, Decider } from './change-permission';
import type { CompactedLog, KeyValue, LogRecord } from '../log/compacted-log';
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
import { ConfigState, type ConfigEvent } from './config-state';

export type LeaderWriter = Pick<TransactionalWriter, 'isClaimed' | 'claim' | 'write' | 'relinquish' | 'close'>;

export class ConfigStore {
  private readonly state = new ConfigState();
  private started = false;

  /** `onEvent` is called for changes after start, when the snapshot already includes them. */
  constructor(
    private readonly log: CompactedLog,
    private readonly logger: Logger,
    private readonly onEvent: (event: ConfigEvent) => void,
    /** The one that the log has. (Default: none, writes are always allowed) */
    private readonly permission: ChangePermission | null = null,
    /** Writes what only the leader may write. (Default: the log, without transactions) */
    private readonly leaderWriter: LeaderWriter | null = null,
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

  /** Leader only. Writes the target state first, so that no worker starts a connector that must be paused. */
  async putConnector(connector: string, config: ConnectorConfig, state: TargetState | null): Promise<void> {
    await this.change('leader').run('Error writing connector configuration to Kafka', async (change) => {
      const records = [connectorRecord(connector, config)];
      await change.write(state === null ? records : [targetStateRecord(connector, state), ...records]);
      await change.readToEnd();
    });
  }

  /** Leader only. */
  async removeConnector(connector: string): Promise<void> {
    await this.change('leader').run('Error removing connector configuration from Kafka', async (change) => {
      await change.write([connectorTombstone(connector), targetStateTombstone(connector)]);
      await change.readToEnd();
    });
  }

  /** Leader only. Workers apply the new task configs when they read the commit record. */
  async putTaskConfigs(connector: string, configs: readonly ConnectorConfig[]): Promise<void> {
    await this.change('leader').run('Error writing task configurations to Kafka', async (change) => {
      await change.readToEnd();
      if (configs.length > 0) {
        await change.prepare(configs.map((config, task) => taskRecord(connector, task, config)));
        await change.readToEnd();
      }
      await change.write([commitRecord(connector, configs.length)]);
      await change.readToEnd();
    });
  }

  /** Leader only. Also removes the task configs, so that workers stop the tasks even before they read the state. */
  async stopConnector(connector: string): Promise<void> {
    await this.change('leader').run('Error writing target state to Kafka', async (change) => {
      await change.readToEnd();
      await change.write([commitRecord(connector, 0), targetStateRecord(connector, 'STOPPED')]);
      await change.readToEnd();
    });
  }

  /** Any worker. Does not wait until the change is read back. */
  async putTargetState(connector: string, state: TargetState): Promise<void> {
    await this.change('any').run(
      'Error writing target state to Kafka',
      async (change) => await change.write([targetStateRecord(connector, state)]),
    );
  }

  /** Leader only. */
  async putSessionKey(key: SessionKey): Promise<void> {
    await this.change('leader').run('Error writing session key to Kafka', async (change) => {
      await change.write([sessionKeyRecord(key)]);
      await change.readToEnd();
    });
  }

  /** Leader only. The tasks of earlier generations have been fenced. */
  async putTaskCountRecord(connector: string, tasks: number): Promise<void> {
    await this.change('leader').run('Error writing task count record to Kafka', async (change) => {
      await change.write([taskCountRecord(connector, tasks)]);
      await change.readToEnd();
    });
  }

  /** Leader only. */
  async putRestartRequest(connector: string, includeTasks: boolean, onlyFailed: boolean): Promise<void> {
    await this.change('leader').run('Error writing restart request to Kafka', async (change) => {
      await change.write([restartRecord(connector, includeTasks, onlyFailed)]);
      await change.readToEnd();
    });
  }

  /** Any worker. Does not wait until the change is read back. */
  async putLoggerLevel(namespace: string, level: string): Promise<void> {
    await this.change('any').run(
      'Error writing logger level to Kafka',
      async (change) => await change.write([loggerRecord(namespace, level)]),
    );
  }

  /** Bound to the current epoch: dropped if the worker loses its session before the records are sent. */
  private change(decider: Decider): ConfigChange {
    const { log, leaderWriter } = this;
    const writer =
      decider === 'leader' && leaderWriter !== null
        ? {
            transactional: true,
            write: async (records: readonly KeyValue[], epoch = 0) => await leaderWriter.write(records, epoch),
          }
        : {
            transactional: false,
            write: async (records: readonly KeyValue[], epoch?: number) => await log.write(records, epoch),
          };
    return new ConfigChange(log, writer, this.permission, decider);
  }

  private apply({ offset, key, value }: LogRecord): void {
    const name = key?.toString('utf8') ?? null;
    const { event, problem } = this.state.apply(offset, name, value);
    if (problem !== null)
      this.logger.warn(`The config topic's record at offset ${offset} was not applied: ${problem}`, { key: name });
    if (event !== null && this.started) this.onEvent(event);
  }
}
