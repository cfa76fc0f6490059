/**
 * Generates a connector's task configs and publishes those that have changed: the leader writes them, other workers
 * send them to the leader. Source: connect-runtime §3.6.
 */
import {
  type ConnectorConfig,
  isConnectError,
  sleep,
  messageOf,
  monotonicNow,
  backoffMs,
  TASK_CONFIGS_RESULT,
} from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { ConfigStore } from '../../storage/config/config-store';
import { automatically } from '../../storage/log/cause';
import type { ConnectorPlugins } from './connector-plugins';
import type { ConnectorRunner } from './connector-runner';
import type { ConnectorSet } from './connector-set';
import { HerderError } from '../errors';
import { offsetsAreChanging, type OffsetLocks } from '../offsets/offset-locks';
import type { RequestQueue } from '../queue/request-queue';
import {
  MAX_TASKS,
  sameConfig,
  storedTaskConfigs,
  taskConfigsChanged,
  taskLimit,
  TasksBeyondLimitError,
  TooManyTasksError,
} from './task-configs';
import type { ResolveConfig } from '../resolve-config';

/** Without jitter: one worker publishes the tasks of a connector. */
const RETRY_BACKOFF = { firstMs: 250, maxMs: 60_000, jitter: [1, 1] } as const;
const PUBLISHED = automatically('requested by the connector');
/** How long an invalid signature is attributed to a key rotation. */
const KEY_ROTATION_MS = 60_000;

export interface TaskPublicationOptions {
  readonly connectors: ConnectorSet;
  readonly configs: ConfigStore;
  readonly plugins: ConnectorPlugins;
  readonly resolve: ResolveConfig;
  readonly queue: RequestQueue;
  readonly offsetLocks: OffsetLocks;
  readonly isLeader: () => boolean;
  /** Sends the task configs to the leader, signed. Rejects with HerderError. */
  readonly sendToLeader: (connector: string, configs: readonly ConnectorConfig[]) => Promise<void>;
  readonly logger: Logger;
  readonly now?: () => number;
  readonly sleep?: typeof sleep;
}

/** The connector config that the published tasks were generated from. */
interface Applied {
  readonly raw: ConnectorConfig;
  /** As resolved at that time; secrets may have changed since. */
  readonly resolved: ConnectorConfig;
}

interface Publication {
  /** Requested again while it was in progress. */
  repeat: boolean;
  /** Ends the backoff before the next attempt. */
  wake: AbortController;
}

export class TaskPublication {
  private readonly running = new Map<string, Publication>();
  private readonly applied = new Map<string, Applied>();
  private readonly now: () => number;
  private closed = false;

  constructor(private readonly options: TaskPublicationOptions) {
    this.now = options.now ?? monotonicNow;
  }

  /** One publication per connector at a time, so that older configs never overtake newer ones. */
  request(connector: string): void {
    if (this.closed) return;
    const running = this.running.get(connector);
    if (running) {
      running.repeat = true;
      running.wake.abort();
      return;
    }
    const publication: Publication = { repeat: true, wake: new AbortController() };
    this.running.set(connector, publication);
    void this.run(connector, publication);
  }

  close(): void {
    this.closed = true;
    for (const { wake } of this.running.values()) wake.abort();
  }

  private async run(connector: string, publication: Publication): Promise<void> {
    // Not after the promise has settled: a request in between would be lost.
    const end = (): unknown => this.running.delete(connector);
    let attempts = 0;
    let firstAttempt = 0;
    for (;;) {
      if (publication.repeat) {
        attempts = 0;
        firstAttempt = this.now();
        publication.repeat = false;
        publication.wake = new AbortController();
      }
      try {
        await this.publish(connector);
        if (!publication.repeat) return void end();
      } catch (error) {
        if (this.closed || (isFinal(error) && !publication.repeat)) return void end();
        const delay = backoffMs(++attempts, RETRY_BACKOFF);
        const keyRotates =
          error instanceof HerderError && error.status === 403 && this.now() - firstAttempt < KEY_ROTATION_MS;
        this.options.logger[keyRotates ? 'debug' : 'error'](
          `Cannot publish the task configs of connector ${connector}, retrying in ${delay} ms: ${messageOf(error)}`,
        );
        await (this.options.sleep ?? sleep)(delay, publication.wake.signal);
      }
      if (this.closed) return void end();
    }
  }

  private async publish(connector: string): Promise<void> {
    const { connectors, configs, resolve, queue, logger, isLeader, sendToLeader, offsetLocks } = this.options;
    const runner = connectors.runner(connector);
    const before = configs.snapshot();
    const rawConfig = before.connectorConfig(connector);
    if (!runner || rawConfig === null || runner.state !== 'STARTED' || before.targetState(connector) !== 'STARTED') {
      logger.debug(`Connector ${connector} is not running on this worker; skipping its task configs`);
      return;
    }
    const appliedConfig = before.appliedConfig(connector);
    const [resolvedConfig, applied] = await Promise.all([
      resolve(rawConfig, connector),
      appliedConfig && this.resolvedAsApplied(connector, appliedConfig),
    ]);
    const generated = await this.generate(connector, runner, rawConfig, resolvedConfig);
    const outcome = await queue.submit(async () => {
      const now = configs.snapshot();
      // The configs belong to this instance and this connector config; a change of either requests another publication.
      if (connectors.runner(connector) !== runner || now.connectorConfig(connector) !== rawConfig) return 'outdated';
      if (now.targetState(connector) !== 'STARTED') return 'outdated';
      const stored = now.taskConfigs(connector);
      const isReadable = !now.isInconsistent(connector) && !now.isUncommitted(connector);
      if (isReadable && !taskConfigsChanged(stored, generated, applied, resolvedConfig)) return 'applied';
      logger.debug(`Publishing ${generated.length} task config(s) of connector ${connector}`);
      if (!isLeader()) return 'to-send';
      if (offsetLocks.isHeld(connector)) throw new HerderError(409, offsetsAreChanging(connector));
      await configs.putTaskConfigs(connector, generated, PUBLISHED);
      return 'applied';
    });
    if (outcome === 'outdated') return;
    if (outcome === 'to-send') await sendToLeader(connector, generated);
    this.applied.set(connector, { raw: rawConfig, resolved: resolvedConfig });
  }

  /** Tasks published by another worker are assumed to use the current values of placeholders. */
  private async resolvedAsApplied(connector: string, config: ConnectorConfig): Promise<ConnectorConfig> {
    const applied = this.applied.get(connector);
    return applied && sameConfig(applied.raw, config)
      ? applied.resolved
      : await this.options.resolve(config, connector);
  }

  private async generate(
    connector: string,
    runner: ConnectorRunner,
    rawConfig: ConnectorConfig,
    resolvedConfig: ConnectorConfig,
  ): Promise<ConnectorConfig[]> {
    const { plugins } = this.options;
    const { max, enforce } = taskLimit(resolvedConfig);
    // One more than the maximum shows that there are too many; a sink would generate billions if it may.
    const configs = await runner.taskConfigs(Math.min(max, MAX_TASKS + 1)).catch((error: unknown) => {
      if (isInvalidResult(error)) runner.fail(error);
      throw error;
    });
    if (configs.length > MAX_TASKS) {
      const beyond = new TasksBeyondLimitError(connector, max);
      runner.fail(beyond);
      throw beyond;
    }
    if (configs.length > max) {
      const tooMany = new TooManyTasksError(connector, configs.length, max);
      if (enforce) {
        runner.fail(tooMany);
        throw tooMany;
      }
      this.options.logger.warn(tooMany.message);
    }
    const taskClass = plugins.taskClass(plugins.require(rawConfig));
    return storedTaskConfigs({ taskClass, configs, rawConfig, resolvedConfig });
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof TooManyTasksError || error instanceof TasksBeyondLimitError || isInvalidResult(error);
}

/** An error in the plugin's code, which no retry changes. */
function isInvalidResult(error: unknown): boolean {
  return isConnectError(error) && error.code === TASK_CONFIGS_RESULT;
}
