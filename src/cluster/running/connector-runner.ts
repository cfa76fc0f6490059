/**
 * Runs one connector instance and calls it one method at a time. The tick waits for none of them but `stop`, which has
 * a timeout, so a plugin that hangs does not hold up the worker. Sources: connect-runtime §3.2, §10.2.
 */
import type { ConnectorConfig } from '@millrace/sdk';
import { ConnectError, withDeadline } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { HostedInstance } from '../../plugin-host/host';
import type { TargetState } from '../../storage/config/config-records';
import { transition, type ConnectorLife, type Transition } from './connector-lifecycle';

/** Timeout for task configs. Milliseconds. */
const TASK_CONFIGS_TIMEOUT_MS = 60_000;

export interface ConnectorRunnerOptions {
  readonly connector: string;
  /** Imports the plugin and creates the instance; called again to start a connector that failed and was stopped. */
  readonly create: () => Promise<HostedInstance>;
  readonly logger: Logger;
  readonly onState: (state: 'RUNNING' | 'PAUSED' | 'STOPPED') => void;
  readonly onFailed: (error: unknown) => void;
}

interface Pending {
  readonly target: TargetState;
  resolve(): void;
  reject(error: unknown): void;
}

export class ConnectorRunner {
  private life: ConnectorLife = 'INIT';
  private instance: HostedInstance | null = null;
  /** Between a successful `start` and its `stop`. */
  private started = false;
  private pending: Pending | null = null;
  private busy: Promise<void> | null = null;
  private closed = false;
  private failures = 0;

  constructor(private readonly options: ConnectorRunnerOptions) {}

  get state(): ConnectorLife {
    return this.life;
  }

  /** Resolves when the state is reached; rejects when that fails, or when a newer transition replaces this one. */
  async transitionTo(target: TargetState): Promise<void> {
    if (this.closed) throw this.closedError();
    await new Promise<void>((resolve, reject) => {
      this.pending?.reject(
        new ConnectError(`Connector ${this.options.connector} is now changing to ${target} instead.`, {
          code: 'CONNECTOR_TRANSITION_SUPERSEDED',
        }),
      );
      this.pending = { target, resolve, reject };
      this.run();
    });
  }

  /** Only while STARTED. Rejects with the plugin's error, or after a timeout. */
  async taskConfigs(maxTasks: number): Promise<readonly ConnectorConfig[]> {
    const { instance } = this;
    if (this.life !== 'STARTED' || instance === null) throw this.closedError();
    return await withDeadline(
      Promise.resolve().then(() => instance.taskConfigs(maxTasks)),
      TASK_CONFIGS_TIMEOUT_MS,
      () =>
        new ConnectError(
          `Connector ${this.options.connector} did not return its task configs within ${TASK_CONFIGS_TIMEOUT_MS} ms.`,
          { code: 'CONNECTOR_TASK_CONFIGS_TIMEOUT' },
        ),
    );
  }

  /** The connector is FAILED until it is restarted, reconfigured or stopped. */
  fail(error: unknown): void {
    if (this.closed) return;
    this.failures++;
    this.life = 'FAILED';
    this.options.onFailed(error);
  }

  /** Stops for good. After `timeoutMs` the instance is abandoned and its events are ignored. */
  async close(timeoutMs: number): Promise<void> {
    this.closed = true;
    this.pending?.reject(this.closedError());
    this.pending = null;
    const { connector, logger } = this.options;
    try {
      await withDeadline(
        (this.busy ?? Promise.resolve()).then(async () => await this.callStop()),
        timeoutMs,
        () => new ConnectError(`the connector did not stop within ${timeoutMs} ms`),
      );
    } catch (error) {
      logger.error(`Connector ${connector} did not stop cleanly`, { error });
    } finally {
      this.instance?.release?.();
    }
  }

  private closedError(): ConnectError {
    return new ConnectError(`Connector ${this.options.connector} is not running on this worker.`, {
      code: 'CONNECTOR_NOT_RUNNING',
    });
  }

  private run(): void {
    this.busy ??= this.work().finally(() => {
      this.busy = null;
      // A transition may have been requested since the loop ended.
      if (this.pending) this.run();
    });
  }

  private async work(): Promise<void> {
    for (let next = this.pending; next !== null && !this.closed; next = this.pending) {
      this.pending = null;
      try {
        await this.step(next.target);
        next.resolve();
      } catch (error) {
        next.reject(error);
      }
    }
  }

  private async step(target: TargetState): Promise<void> {
    const step = transition(this.life, target);
    if (step === null) return;
    const failuresBefore = this.failures;
    try {
      // A failed instance only needs to be stopped, if it was created at all.
      if (this.life !== 'FAILED') this.instance ??= await this.options.create();
      if (this.closed) return this.instance?.release?.();
      await this.call(step);
    } catch (error) {
      // The plugin host may have reported it already: one failure is one status, and one automatic restart.
      if (this.failures === failuresBefore) this.fail(error);
      throw error;
    }
    if (this.closed) return;
    if (this.failures !== failuresBefore) throw this.closedError();
    // A failed instance may be unusable, or its thread gone: the next start creates another.
    if (this.life === 'FAILED') {
      this.instance?.release?.();
      this.instance = null;
    }
    this.life = step.to;
    this.options.onState(step.to === 'STARTED' ? 'RUNNING' : step.to);
  }

  private async call({ call, tolerant }: Transition): Promise<void> {
    if (call === 'start') {
      await this.instance?.start?.();
      this.started = true;
      return;
    }
    try {
      await this.callStop();
    } catch (error) {
      if (!tolerant) throw error;
      this.options.logger.error(`Connector ${this.options.connector} failed to stop`, { error });
    }
  }

  private async callStop(): Promise<void> {
    if (!this.started) return;
    this.started = false;
    await this.instance?.stop?.();
  }
}
