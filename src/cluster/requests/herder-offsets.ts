/**
 * Connector offsets over REST. Any worker reads them; only the leader changes them, once no worker runs a task of the
 * connector. Sources: connect-runtime §3.8, connect-rest §1.18, §2.3, §2.6.
 */
import { isConnectError, messageOf, type ConnectorConfig, sleep, withDeadline, monotonicNow } from '@millrace/sdk';
import { hideProvidedValues } from '@millrace/texts/redaction';
import type { ConnectorTaskId } from '../../connector-task-id';
import { KafkaError, type ClientConfig, type KafkaClients, type SendPermission } from '@millrace/kafka-client';
import { clientsOf } from '../../kafka-clients';
import type { PluginHost } from '../../plugin-host/host';
import type { ConfigStore } from '../../storage/config/config-store';
import type { SourceOffsets } from '../../storage/offsets/offset-store';
import {
  connectorAdminConfig,
  exactlyOnceProducerConfig,
  sinkConsumerConfig,
  type WorkerClientSettings,
} from '../../tasks/clients/client-configs';
import { sinkTopics } from '../../tasks/sink/sink-subscription';
import type { WorkLease } from '../../tasks/session-lease';
import { changedMessage, type PartitionOffset } from '../connector-offsets';
import type { GroupPartition } from '../entities';
import type { ConnectorPlugins } from '../running/connector-plugins';
import { CONFLICT, HerderError, NotHereError } from '../errors';
import { notFound } from './herder-reads';
import { OffsetChangeSteps } from '../offsets/offset-change-steps';
import type { OffsetLock, OffsetLocks } from '../offsets/offset-locks';
import { changeSinkOffsets, sinkOffsets, type SinkGroup } from '../offsets/sink-group';
import { sinkPartitions } from '../offsets/sink-partitions';
import { transactionalOffsets, type EncodedOffsets } from '../offsets/transactional-offsets';
import { changeSourceOffsets, sourceOffsets } from '../offsets/source-offsets';
import { REQUEST_TIMEOUT_MS, type TickRequests } from './tick-requests';
import type { ResolveConfig } from '../resolve-config';

/** How long to wait for stopping tasks before the request is refused. Milliseconds. */
const SETTLE_LIMIT_MS = 30_000;
const SETTLE_POLL_MS = 100;
/** A page of the console waits for them. */
const PARTITIONS_MS = 8_000;
const FENCING_FAILED = 'Failed to perform zombie fencing for source connector prior to modifying offsets';
/** Java's text for a refusal that clients retry. */
const NOT_SETTLED =
  'Cannot complete request momentarily due to stale configuration (typically caused by a concurrent config change)';

export interface HerderOffsetsOptions {
  readonly configs: ConfigStore;
  readonly offsets: SourceOffsets & EncodedOffsets;
  readonly requests: TickRequests;
  readonly plugins: ConnectorPlugins;
  readonly pluginHost: Pick<PluginHost, 'traits' | 'alterOffsets'>;
  readonly clients: KafkaClients;
  readonly worker: WorkerClientSettings;
  readonly locks: OffsetLocks;
  /** Of a worker that enables exactly-once sources; null: offsets are written without transactions. */
  readonly exactlyOnce: ExactlyOnceOffsets | null;
  readonly resolve: ResolveConfig;
  /**
   * True when no worker of the group runs a task of the connector, as of a rebalance that covers everything read so
   * far.
   */
  readonly areTasksGone: (connector: string) => boolean;
  /** The lease of the current membership. */
  readonly lease: () => Pick<WorkLease, 'holds'>;
  /** Milliseconds. */
  readonly configReadTimeoutMs: number;
  /** Throws HerderError 404 until the storage topics have been read. */
  readonly requireOpen: () => void;
}

export interface ExactlyOnceOffsets {
  /** Fences the earlier tasks of the connector; this worker leads. */
  readonly fence: (connector: string) => Promise<void>;
  readonly transactionalId: (id: ConnectorTaskId) => string;
  /** To write to the offsets topics. */
  readonly permission: SendPermission;
}

interface Admitted {
  readonly config: ConnectorConfig;
  readonly lock: OffsetLock;
  /** Of the membership that the change was admitted under. */
  readonly lease: Pick<WorkLease, 'holds'>;
}

export class HerderOffsets {
  constructor(private readonly options: HerderOffsetsOptions) {}

  /** Committed source offsets, or those of the sink's consumer group; in any state of the connector. */
  async list(name: string): Promise<readonly PartitionOffset[]> {
    const { configs, plugins, offsets, requireOpen } = this.options;
    requireOpen();
    const config = configs.snapshot().connectorConfig(name);
    if (config === null) throw notFound(name);
    const isSink = plugins.require(config).type === 'sink';
    const failed = isSink
      ? `Failed to retrieve consumer group offsets for sink connector ${name}`
      : `Failed to retrieve offsets for source connector ${name}`;
    try {
      const found = isSink ? this.withGroup(name, config, sinkOffsets) : sourceOffsets(offsets, name);
      return await withDeadline(found, REQUEST_TIMEOUT_MS, () => new Error('no answer in time'));
    } catch (error) {
      const isRefused = isConnectError(error) && error.code === 'CLIENT_OVERRIDE_REFUSED';
      throw new HerderError(500, isRefused ? error.message : failed, { cause: error });
    }
  }

  /** The partitions of a sink, with the offsets of its consumer group. Throws HerderError 400 for a source. */
  async partitions(name: string): Promise<readonly GroupPartition[]> {
    const { configs, plugins, requireOpen } = this.options;
    requireOpen();
    const config = configs.snapshot().connectorConfig(name);
    if (config === null) throw notFound(name);
    if (plugins.type(config) !== 'sink') throw new HerderError(400, `Connector ${name} is not a sink`);
    const found = this.withGroup(name, config, async (group, consumer, resolved) => {
      const topics = sinkTopics(resolved);
      const isolation = consumer['isolation.level'] === 'read_committed' ? 'read_committed' : 'read_uncommitted';
      return await sinkPartitions(group, topics instanceof RegExp ? null : topics, isolation);
    });
    try {
      return await withDeadline(found, PARTITIONS_MS, () => new Error('Kafka did not answer in time'));
    } catch (error) {
      const reason = hideProvidedValues(messageOf(error), name, { words: true });
      throw new HerderError(500, `The offsets of ${name} cannot be read: ${reason}`, { cause: error });
    }
  }

  /** Resolves to the message for the user. If it rejects with a status below 500, nothing was changed. */
  async alter(name: string, offsets: readonly PartitionOffset[]): Promise<string> {
    return await this.change(name, offsets);
  }

  /** Resets all offsets; succeeds if there are none. As `alter`. */
  async reset(name: string): Promise<string> {
    return await this.change(name, null);
  }

  /** `entries` null: reset all. */
  private async change(name: string, entries: readonly PartitionOffset[] | null): Promise<string> {
    const deadline = monotonicNow() + REQUEST_TIMEOUT_MS;
    const admitted = await this.admit(name);
    try {
      await this.fence(name, admitted);
      const complete = await this.apply(name, admitted, entries, deadline);
      return changedMessage(entries === null ? 'reset' : 'altered', complete);
    } finally {
      admitted.lock.release();
    }
  }

  /**
   * Waits until the stopped tasks have ended: a task that ends late would overwrite the new offsets with its own.
   */
  private async admit(name: string): Promise<Admitted> {
    const { requests } = this.options;
    const limit = monotonicNow() + SETTLE_LIMIT_MS;
    for (;;) {
      const admitted = await requests.runAsLeader(`modifying offsets for connector ${name}`, () => this.tryAdmit(name));
      if (admitted !== null) return admitted;
      if (monotonicNow() >= limit) throw new HerderError(409, NOT_SETTLED);
      await sleep(SETTLE_POLL_MS);
    }
  }

  /** Zombies of a stopped source could commit their offsets over the new ones. No task starts meanwhile. */
  private async fence(name: string, { config }: Admitted): Promise<void> {
    const { exactlyOnce, plugins, requests } = this.options;
    if (exactlyOnce === null || plugins.type(config) === 'sink') return;
    try {
      await exactlyOnce.fence(name);
    } catch (error) {
      if (error instanceof NotHereError) throw error;
      throw new HerderError(500, FENCING_FAILED, { cause: error });
    }
    // Another client may have resumed or deleted the connector.
    await requests.runAsLeader(`modifying offsets for connector ${name}`, async () => await this.requireStopped(name));
  }

  /** Runs on the tick. Null: tasks are still stopping, or another change is in progress. */
  private async tryAdmit(name: string): Promise<Admitted | null> {
    const { locks, areTasksGone } = this.options;
    const lease = this.options.lease();
    const config = await this.requireStopped(name);
    if (!areTasksGone(name)) return null;
    const lock = locks.hold(name);
    return lock && { config, lock, lease };
  }

  /** Resolves to the connector's config. */
  private async requireStopped(name: string): Promise<ConnectorConfig> {
    const { configs, configReadTimeoutMs } = this.options;
    await configs.readToEnd(configReadTimeoutMs);
    const snapshot = configs.snapshot();
    const config = snapshot.connectorConfig(name);
    if (config === null) throw notFound(name);
    if (snapshot.targetState(name) !== 'STOPPED' || snapshot.taskCount(name) > 0)
      throw new HerderError(
        400,
        `Connectors must be in the STOPPED state before their offsets can be modified. This can be done for the specified connector by ` +
          `issuing a 'PUT' request to the '/connectors/${name}/stop' endpoint`,
      );
    return config;
  }

  private async apply(
    name: string,
    { config: raw, lock, lease }: Admitted,
    entries: readonly PartitionOffset[] | null,
    deadline: number,
  ): Promise<boolean> {
    const { plugins, pluginHost, resolve } = this.options;
    const description = plugins.require(raw);
    const type = description.type === 'sink' ? 'sink' : 'source';
    const steps = new OffsetChangeSteps(name, type, deadline, lock, () => lease.holds);
    const { altersOffsets, partitionOrder } = await pluginHost.traits(description);
    const alterOffsets = pluginHost.alterOffsets.bind(pluginHost, description);
    const plugin = { partitionOrder, ...(altersOffsets && { alterOffsets }) };
    try {
      const config = await resolve(raw, name);
      if (type === 'source')
        return await changeSourceOffsets(this.writtenFor(name, config), { plugin, config, entries }, steps);
      return await this.withGroup(name, config, (group) =>
        changeSinkOffsets(group, { plugin, config, entries }, steps),
      );
    } catch (error) {
      if (error instanceof HerderError) throw error;
      if (error instanceof KafkaError && error.code === 'SESSION_LOST' && !error.inDoubt)
        throw new HerderError(409, CONFLICT, { cause: error });
      const message = isConnectError(error) ? error.message : `Failed to modify offsets for ${type} connector ${name}`;
      throw new HerderError(500, message, { cause: error });
    }
  }

  private writtenFor(name: string, config: ConnectorConfig): Parameters<typeof changeSourceOffsets>[0] {
    const { exactlyOnce, offsets, clients, worker } = this.options;
    if (exactlyOnce === null) return offsets;
    const id = { connector: name, task: 0 };
    const producer = exactlyOnceProducerConfig(worker, id, config, exactlyOnce.transactionalId(id));
    return transactionalOffsets({
      offsets,
      clients: clientsOf(clients, name),
      producer,
      permission: exactlyOnce.permission,
    });
  }

  private async withGroup<T>(
    name: string,
    raw: ConnectorConfig,
    use: (group: SinkGroup, consumer: ClientConfig, config: ConnectorConfig) => Promise<T>,
  ): Promise<T> {
    const { clients, worker, resolve } = this.options;
    const config = await resolve(raw, name);
    const consumer = sinkConsumerConfig(worker, { connector: name, task: 0 }, config, null);
    const admin = clientsOf(clients, name).admin(connectorAdminConfig(worker, name, config));
    try {
      return await use({ admin, groupId: consumer['group.id'] ?? `connect-${name}` }, consumer, config);
    } finally {
      await admin.close();
    }
  }
}
