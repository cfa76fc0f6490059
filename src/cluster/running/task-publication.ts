/**
 * Asks a connector for its task configurations and publishes them when they changed: directly by the leader, through
 * the leader by others. Source: connect-runtime §3.6.
 */
import { type ConnectorConfig, sleep, messageOf, monotonicNow } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { ConfigStore } from '../../storage/config-store';
import { taskClassOf, type ConnectorPlugins } from './connector-plugins';
import type { ConnectorRunner } from './connector-runner';
import type { ConnectorSet } from './connector-set';
import { HerderError } from '../errors';
import { offsetsAreChanging, type OffsetLocks } from '../offsets/offset-locks';
import type { RequestQueue } from '../queue/request-queue';
import {
  MOST_TASKS,
  sameConfig,
  storedTaskConfigs,
  taskConfigsChanged,
  taskLimit,
  TasksBeyondLimitError,
  TooManyTasksError,
} from './task-configs';

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 60_000;
/** So long a refused signature counts as a key that is being replaced. */
const KEY_ROTATION_MS = 60_000;

export interface TaskPublicationOptions {
  readonly connectors: ConnectorSet;
  readonly configs: ConfigStore;
  readonly plugins: ConnectorPlugins;
  readonly resolve: (config: ConnectorConfig) => Promise<ConnectorConfig>;
  readonly queue: RequestQueue;
  readonly offsetLocks: OffsetLocks;
  readonly isLeader: () => boolean;
  /** Sends the configurations to the leader, signed. Rejects with HerderError. */
  readonly sendToLeader: (connector: string, configs: readonly ConnectorConfig[]) => Promise<void>;
  readonly logger: Logger;
  readonly now?: () => number;
  readonly sleep?: typeof sleep;
}

/** A connector configuration that tasks were made from. */
interface Applied {
  readonly raw: ConnectorConfig;
  /** What its placeholders stood for then: secrets may be others by now. */
  readonly resolved: ConnectorConfig;
}

interface Publication {
  /** Asked for again while it was under way. */
  again: boolean;
  /** Ends the wait before the next attempt. */
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

  /** One publication per connector at a time: an older answer never overtakes a newer one. */
  request(connector: string): void {
    if (this.closed) return;
    const running = this.running.get(connector);
    if (running) {
      running.again = true;
      running.wake.abort();
      return;
    }
    const publication: Publication = { again: true, wake: new AbortController() };
    this.running.set(connector, publication);
    void this.run(connector, publication).finally(() => this.running.delete(connector));
  }

  close(): void {
    this.closed = true;
    for (const { wake } of this.running.values()) wake.abort();
  }

  private async run(connector: string, publication: Publication): Promise<void> {
    let attempts = 0;
    let firstAttempt = 0;
    for (;;) {
      if (publication.again) {
        attempts = 0;
        firstAttempt = this.now();
        publication.again = false;
        publication.wake = new AbortController();
      }
      try {
        await this.publish(connector);
        if (!publication.again) return;
      } catch (error) {
        if (this.closed || (isFinal(error) && !publication.again)) return;
        const delay = Math.min(FIRST_RETRY_MS * 2 ** attempts++, LAST_RETRY_MS);
        const keyRotates =
          error instanceof HerderError && error.status === 403 && this.now() - firstAttempt < KEY_ROTATION_MS;
        this.options.logger[keyRotates ? 'debug' : 'error'](
          `The task configurations of connector ${connector} could not be published, next attempt in ${delay} ms: ${messageOf(error)}`,
        );
        await (this.options.sleep ?? sleep)(delay, publication.wake.signal);
      }
      if (this.closed) return;
    }
  }

  private async publish(connector: string): Promise<void> {
    const { connectors, configs, resolve, queue, logger, isLeader, sendToLeader, offsetLocks } = this.options;
    const runner = connectors.runner(connector);
    const before = configs.snapshot();
    const rawConfig = before.connectorConfig(connector);
    if (!runner || rawConfig === null || runner.state !== 'STARTED' || before.targetState(connector) !== 'STARTED') {
      logger.debug(`Connector ${connector} does not run here now: its task configurations are not generated`);
      return;
    }
    const appliedConfig = before.appliedConfig(connector);
    const [resolvedConfig, applied] = await Promise.all([
      resolve(rawConfig),
      appliedConfig && this.resolvedAsApplied(connector, appliedConfig),
    ]);
    const generated = await this.generate(connector, runner, rawConfig, resolvedConfig);
    const outcome = await queue.submit(async () => {
      const now = configs.snapshot();
      // What was generated belongs to this instance and this configuration; whoever changed them asks again.
      if (connectors.runner(connector) !== runner || now.connectorConfig(connector) !== rawConfig) return 'outdated';
      if (now.targetState(connector) !== 'STARTED') return 'outdated';
      const stored = now.taskConfigs(connector);
      if (!now.isInconsistent(connector) && !taskConfigsChanged(stored, generated, applied, resolvedConfig))
        return 'applied';
      logger.info(`Publishing ${generated.length} task configuration(s) of connector ${connector}`);
      if (!isLeader()) return 'to-send';
      if (offsetLocks.isHeld(connector)) throw new HerderError(409, offsetsAreChanging(connector));
      await configs.putTaskConfigs(connector, generated);
      return 'applied';
    });
    if (outcome === 'outdated') return;
    if (outcome === 'to-send') await sendToLeader(connector, generated);
    this.applied.set(connector, { raw: rawConfig, resolved: resolvedConfig });
  }

  /** Tasks that this worker did not make itself are taken to know what the placeholders stand for now. */
  private async resolvedAsApplied(connector: string, config: ConnectorConfig): Promise<ConnectorConfig> {
    const applied = this.applied.get(connector);
    return applied && sameConfig(applied.raw, config) ? applied.resolved : await this.options.resolve(config);
  }

  private async generate(
    connector: string,
    runner: ConnectorRunner,
    rawConfig: ConnectorConfig,
    resolvedConfig: ConnectorConfig,
  ): Promise<ConnectorConfig[]> {
    const { max, enforce } = taskLimit(resolvedConfig);
    // One more than are taken shows that there are too many; a sink would make billions of them where it may.
    const configs = await runner.taskConfigs(Math.min(max, MOST_TASKS + 1));
    if (configs.length > MOST_TASKS) {
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
    const taskClass = taskClassOf(this.options.plugins.require(rawConfig));
    return storedTaskConfigs({ taskClass, configs, rawConfig, resolvedConfig });
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof TooManyTasksError || error instanceof TasksBeyondLimitError;
}
