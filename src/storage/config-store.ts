/** The group's configuration, owned by the config topic. Source: connect-runtime §1.4. */
import { ConnectError, type ConnectorConfig } from '@millrace/sdk';
import type { Logger } from '../logging/logger';
import type { CompactedLog, KeyValue, LogRecord } from './compacted-log';
import {
  commitRecord,
  connectorRecord,
  connectorTombstone,
  loggerRecord,
  restartRecord,
  sessionKeyRecord,
  targetStateRecord,
  targetStateTombstone,
  taskRecord,
  type SessionKey,
  type TargetState,
} from './config-records';
import type { ConfigSnapshot } from './config-snapshot';
import { ConfigState, type ConfigEvent } from './config-state';
import { within } from './retry';

/** Budget of one change, however many steps it has. Milliseconds. */
const WRITE_TIMEOUT_MS = 30_000;

type Step = (run: () => Promise<void>) => Promise<void>;

export class ConfigStore {
  private readonly state = new ConfigState();
  private started = false;

  /** `onEvent` is called for what happens after start, when the snapshot holds it already. */
  constructor(
    private readonly log: CompactedLog,
    private readonly logger: Logger,
    private readonly onEvent: (event: ConfigEvent) => void,
  ) {}

  async start(): Promise<void> {
    await this.log.start((record) => this.apply(record));
    this.started = true;
  }

  async stop(): Promise<void> {
    await this.log.stop();
  }

  /** The state as last read; cheap to ask for again while nothing changes. */
  snapshot(): ConfigSnapshot {
    return this.state.snapshot();
  }

  /** Rejects when it takes longer than `timeoutMs`. */
  async readToEnd(timeoutMs: number): Promise<void> {
    await within(
      this.log.readToEnd(),
      timeoutMs,
      () =>
        new ConnectError(`The config topic could not be read to its end within ${timeoutMs} ms.`, {
          code: 'CONFIG_READ_TIMEOUT',
        }),
    );
  }

  /** Leader only. The target state goes first, so that nobody starts a connector that is to be paused. */
  async putConnector(connector: string, config: ConnectorConfig, state: TargetState | null): Promise<void> {
    await this.change('Error writing connector configuration to Kafka', async (step) => {
      if (state !== null) await step(() => this.log.write([targetStateRecord(connector, state)]));
      await step(() => this.log.write([connectorRecord(connector, config)]));
      await step(() => this.log.readToEnd());
    });
  }

  /** Leader only. */
  async removeConnector(connector: string): Promise<void> {
    await this.change('Error removing connector configuration from Kafka', async (step) => {
      await step(() => this.log.write([connectorTombstone(connector)]));
      await step(() => this.log.write([targetStateTombstone(connector)]));
      await step(() => this.log.readToEnd());
    });
  }

  /** Leader only. Until the commit record is there, nobody applies the new task configurations. */
  async putTaskConfigs(connector: string, configs: readonly ConnectorConfig[]): Promise<void> {
    await this.change('Error writing task configurations to Kafka', async (step) => {
      await step(() => this.log.readToEnd());
      if (configs.length > 0) {
        await step(() => this.log.write(configs.map((config, task): KeyValue => taskRecord(connector, task, config))));
        await step(() => this.log.readToEnd());
      }
      await step(() => this.log.write([commitRecord(connector, configs.length)]));
      await step(() => this.log.readToEnd());
    });
  }

  /** Any worker. */
  async putTargetState(connector: string, state: TargetState): Promise<void> {
    await this.change('Error writing target state to Kafka', async (step) => {
      await step(() => this.log.write([targetStateRecord(connector, state)]));
    });
  }

  /** Leader only. */
  async putSessionKey(key: SessionKey): Promise<void> {
    await this.change('Error writing session key to Kafka', async (step) => {
      await step(() => this.log.write([sessionKeyRecord(key)]));
      await step(() => this.log.readToEnd());
    });
  }

  /** Leader only. */
  async putRestartRequest(connector: string, includeTasks: boolean, onlyFailed: boolean): Promise<void> {
    await this.change('Error writing restart request to Kafka', async (step) => {
      await step(() => this.log.write([restartRecord(connector, includeTasks, onlyFailed)]));
      await step(() => this.log.readToEnd());
    });
  }

  /** Any worker; nobody waits for the effect. */
  async putLoggerLevel(namespace: string, level: string): Promise<void> {
    await this.change('Error writing logger level to Kafka', async (step) => {
      await step(() => this.log.write([loggerRecord(namespace, level)]));
    });
  }

  /**
   * After the budget is spent no further step is taken: a commit record that followed late could fall between the records of the next
   * attempt and make its set incomplete. What was sent already keeps its place before them.
   */
  private async change(failure: string, steps: (step: Step) => Promise<void>): Promise<void> {
    let over = false;
    const step: Step = async (run) => {
      if (over) throw new Error('the time for this change is over');
      await run();
    };
    try {
      await within(steps(step), WRITE_TIMEOUT_MS, () => new Error(`no answer within ${WRITE_TIMEOUT_MS} ms`));
    } catch (error) {
      throw new ConnectError(failure, { code: 'CONFIG_WRITE_FAILED', cause: error });
    } finally {
      over = true;
    }
  }

  private apply({ offset, key, value }: LogRecord): void {
    const name = key?.toString('utf8') ?? null;
    const { event, problem } = this.state.apply(offset, name, value);
    if (problem !== null)
      this.logger.warn(`The config topic's record at offset ${offset} was not applied: ${problem}`, { key: name });
    if (event !== null && this.started) this.onEvent(event);
  }
}
