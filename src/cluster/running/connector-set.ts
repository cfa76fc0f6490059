/** The connector instances that run on this worker. Sources: connect-runtime §3.4, §10.2. */
import { ConfigError, type ConnectorConfig, type WorkerSettings } from '@millrace/sdk';
import { about } from '../../logging/line-subject';
import type { Logger } from '../../logging/logger';
import type { HostedInstance, PluginHost } from '../../plugin-host/host';
import type { PluginDescription } from '../../plugins/registry';
import type { TargetState } from '../../storage/config/config-records';
import type { OffsetStorage } from '../../tasks/host';
import { namesDefaultGroup, topicGroups } from '../../tasks/source/topic-creation-config';
import { Lifetime } from './config-reloads';
import type { ConnectorPlugins } from './connector-plugins';
import { ConnectorRunner } from './connector-runner';
import { defaultInstance } from './default-instance';
import type { StatusReporter } from './status-reporter';
import type { ResolveConfig } from '../resolve-config';

/** For all connectors of a batch to stop. Milliseconds. */
const CONNECTOR_STOP_TIMEOUT_MS = 5_000;

export interface ConnectorSetOptions {
  readonly plugins: ConnectorPlugins;
  readonly pluginHost: Pick<PluginHost, 'traits' | 'create'>;
  readonly reporter: StatusReporter;
  readonly offsets: OffsetStorage;
  /** Whether sources may create topics: `topic.creation.enable` of the worker. */
  readonly topicCreation: boolean;
  /** The worker settings that a plugin may read. */
  readonly workerSettings: (plugin: PluginDescription) => WorkerSettings;
  /** `expires` is called with the TTL of a value. */
  readonly resolve: ResolveConfig;
  /** The instance's config was resolved; some values may expire. */
  readonly onResolved: (connector: string, config: ConnectorConfig, lifetime: Lifetime) => void;
  /** The connector has started or requested reconfiguration: its task configs may have changed. */
  readonly reconfigure: (connector: string) => void;
  /** It was stopped, whatever its state. */
  readonly onStop: (connector: string) => void;
  readonly logger: Logger;
}

export class ConnectorSet {
  private readonly runners = new Map<string, ConnectorRunner>();

  constructor(private readonly options: ConnectorSetOptions) {}

  names(): string[] {
    return [...this.runners.keys()];
  }

  runner(connector: string): ConnectorRunner | null {
    return this.runners.get(connector) ?? null;
  }

  /**
   * Creates the instance and brings it to the target state. Resolves when that is reached and rejects on failure;
   * callers need not wait, since failures are reported as status.
   */
  async start(connector: string, config: ConnectorConfig, target: TargetState): Promise<void> {
    if (this.runners.has(connector))
      throw new ConfigError(`Connector ${connector} already exists on this worker.`, { code: 'CONNECTOR_EXISTS' });
    const { reporter, logger } = this.options;
    const runner: ConnectorRunner = new ConnectorRunner({
      connector,
      logger: logger.child({ connector }),
      create: async () => await this.create(connector, config, runner),
      onState: (state) => reporter.connectorState(connector, state),
      onFailed: (error) => {
        logger.error(`Connector ${connector} failed`, about({ connector }, { error }));
        reporter.connectorFailed(connector, error);
      },
    });
    this.runners.set(connector, runner);
    await this.moveTo(connector, runner, target);
  }

  /** Does nothing when the connector does not run on this worker. */
  async setTarget(connector: string, target: TargetState): Promise<void> {
    const runner = this.runners.get(connector);
    if (runner) await this.moveTo(connector, runner, target);
  }

  /** Unless `reportsUnassigned`, their statuses stay as they are. */
  async stop(connectors: readonly string[], reportsUnassigned = true): Promise<void> {
    await Promise.all(
      connectors.map(async (connector) => {
        const runner = this.runners.get(connector);
        this.runners.delete(connector);
        this.options.onStop(connector);
        await runner?.close(CONNECTOR_STOP_TIMEOUT_MS);
        if (runner && reportsUnassigned) this.options.reporter.connectorState(connector, 'UNASSIGNED');
      }),
    );
  }

  private async moveTo(connector: string, runner: ConnectorRunner, target: TargetState): Promise<void> {
    await runner.transitionTo(target);
    if (runner.state === 'STARTED' && this.runners.get(connector) === runner) this.options.reconfigure(connector);
  }

  private async create(connector: string, config: ConnectorConfig, runner: ConnectorRunner): Promise<HostedInstance> {
    const { plugins, pluginHost, resolve, offsets, logger, reconfigure } = this.options;
    const lifetime = new Lifetime();
    const description = plugins.require(config);
    const [traits, resolved] = await Promise.all([
      pluginHost.traits(description),
      resolve(config, connector, lifetime.limit),
    ]);
    plugins.onLoaded(description, traits);
    if (this.runners.get(connector) === runner) this.options.onResolved(connector, resolved, lifetime);
    if (description.type === 'source' && this.options.topicCreation) this.checkTopicCreation(resolved, logger);
    if (!traits.creates) return defaultInstance(description.type, traits, resolved);
    const workerSettings = this.options.workerSettings(description);
    return await pluginHost.create(
      { connector, description, config: resolved, workerSettings },
      {
        logger: logger.child({ connector }),
        requestTaskReconfiguration: () => {
          if (this.runners.get(connector) === runner) reconfigure(connector);
        },
        raiseError: (error) => runner.fail(error),
        offsets: {
          offset: async (partition) => (await offsets.read(connector, [partition]))[0] ?? null,
          offsets: async (partitions) => await offsets.read(connector, partitions),
        },
      },
    );
  }

  /** As in Java, the connector fails, before it has any tasks. */
  private checkTopicCreation(config: ConnectorConfig, logger: Logger): void {
    topicGroups(config);
    if (namesDefaultGroup(config))
      logger.warn('topic.creation.groups need not list "default": it always exists and is matched last');
  }
}
