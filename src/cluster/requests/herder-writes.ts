/**
 * Changes of connectors and their task configs. Sources: connect-runtime §3.2, §3.3, connect-rest §1.4 to §1.13,
 * §2.
 */
import type { ConfigWarning, ConnectorConfig } from '@millrace/sdk';
import { validationFailure, type ConfigValidator } from '../../config/validation/config-infos';
import type { Logger } from '../../logging/logger';
import type { ConfigStore } from '../../storage/config/config-store';
import { automatically, byUser } from '../../storage/log/cause';
import { HerderError } from '../errors';
import type { ConnectorInfo, ReadTaskConfigs, SignedBody, TargetState } from '../entities';
import { notFound, type HerderReads } from './herder-reads';
import { offsetsAreChanging, type OffsetLocks } from '../offsets/offset-locks';
import type { InternalMarks, InternalRequest } from '../forwarding/internal-marks';
import { verifySignature } from '../forwarding/session-key';
import { thenReadBack } from './read-back';
import type { TickRequests } from './tick-requests';
import { sameConfig } from '../running/task-configs';

export interface HerderWritesOptions {
  readonly configs: ConfigStore;
  readonly reads: HerderReads;
  readonly requests: TickRequests;
  readonly validator: ConfigValidator;
  readonly offsetLocks: OffsetLocks;
  /** Fences the earlier tasks of an exactly-once source, if this worker leads. */
  readonly fence: (connector: string) => Promise<void>;
  /** True while the group signs its internal requests, or would after a join. */
  readonly requiresSignature: () => boolean;
  /** `inter.worker.verification.algorithms`. */
  readonly verificationAlgorithms: readonly string[];
  readonly marks: InternalMarks;
  /** Throws HerderError 404 until the storage topics have been read. */
  readonly requireOpen: () => void;
  /** Reads what other workers have changed. */
  readonly readBack: () => Promise<void>;
  /** Reads what this worker has changed. */
  readonly readOwnBack: () => Promise<void>;
  readonly logger: Logger;
}

/** Lines about one config: a log is no place for all keys of a plugin that takes any. */
const MAX_WARNINGS = 10;

/** `user`: who requests a change, for the history; null: not authenticated. (Default: null) */
export class HerderWrites {
  constructor(private readonly options: HerderWritesOptions) {}

  /** Validates, then writes; 409 when the name exists. `initialState` null: STARTED. */
  async createConnector(
    name: string,
    config: ConnectorConfig,
    initialState: TargetState | null,
    user: string | null = null,
  ): Promise<ConnectorInfo> {
    const { configs, reads } = this.options;
    const warnings = await this.validate(config);
    return await this.change(writing(name), async () => {
      if (configs.snapshot().contains(name)) throw new HerderError(409, `Connector ${name} already exists`);
      await configs.putConnector(name, config, initialState, byUser(user));
      this.logWarnings(name, warnings);
      return reads.connectorInfo(name);
    });
  }

  /** Creates or replaces. */
  async putConnectorConfig(
    name: string,
    config: ConnectorConfig,
    user: string | null = null,
  ): Promise<{ created: boolean; info: ConnectorInfo }> {
    const { configs, reads } = this.options;
    const warnings = await this.validate(config);
    return await this.change(writing(name), async () => {
      const stored = configs.snapshot().connectorConfig(name);
      await this.putConfig(name, config, stored, user);
      this.logWarnings(name, warnings);
      return { created: stored === null, info: reads.connectorInfo(name) };
    });
  }

  /**
   * Sets the given keys and removes those that are null. The patched config is validated as a whole; if the stored
   * config changes meanwhile, the patch is applied and validated again.
   */
  async patchConnectorConfig(
    name: string,
    patch: Readonly<Record<string, string | null>>,
    user: string | null = null,
  ): Promise<ConnectorInfo> {
    const { configs, reads, requests } = this.options;
    const stored = (): ConnectorConfig => {
      const config = configs.snapshot().connectorConfig(name);
      if (config === null) throw notFound(name);
      return config;
    };
    let base = await requests.runAsLeader(writing(name), async () => {
      await configs.readToEnd(READ_TIMEOUT_MS);
      return stored();
    });
    for (;;) {
      const config = patched(base, patch);
      const warnings = await this.validate(config);
      const info = await this.change(writing(name), async () => {
        const now = stored();
        if (now !== base) {
          base = now;
          return null;
        }
        await this.putConfig(name, config, now, user);
        this.logWarnings(name, warnings);
        return reads.connectorInfo(name);
      });
      if (info !== null) return info;
    }
  }

  async deleteConnector(name: string, user: string | null = null): Promise<void> {
    const { configs } = this.options;
    await this.change(`removing the config for connector ${name} from the config topic`, async () => {
      if (!configs.snapshot().contains(name)) throw notFound(name);
      await configs.removeConnector(name, byUser(user));
    });
  }

  /** On any worker. Does not wait for the effect. */
  async setTargetState(name: string, state: 'STARTED' | 'PAUSED', user: string | null = null): Promise<void> {
    const { configs, requireOpen, readBack, readOwnBack } = this.options;
    requireOpen();
    if (!configs.snapshot().contains(name)) throw new HerderError(404, `Unknown connector ${name}`);
    await thenReadBack(configs.putTargetState(name, state, byUser(user)), readBack, readOwnBack);
  }

  async stopConnector(name: string, user: string | null = null): Promise<void> {
    const { configs } = this.options;
    await this.change(`writing 0 task configs for connector ${name} to the config topic`, async () => {
      if (!configs.snapshot().contains(name)) throw new HerderError(404, `Unknown connector ${name}`);
      await configs.stopConnector(name, byUser(user));
    });
  }

  /**
   * An unchanged config is not written again, but restarts the connector, as in Java: after a record of the connector,
   * its task configs must be written, too, which would restart the tasks.
   */
  private async putConfig(
    name: string,
    config: ConnectorConfig,
    stored: ConnectorConfig | null,
    user: string | null,
  ): Promise<void> {
    const { configs } = this.options;
    if (stored !== null && sameConfig(stored, config))
      await configs.putRestartRequest(name, false, false, byUser(user));
    else await configs.putConnector(name, config, null, byUser(user));
  }

  /** For all workers of the group, which apply it when they read it. `level` is written as given. */
  async setLoggerLevel(namespace: string, level: string, user: string | null = null): Promise<void> {
    this.options.requireOpen();
    await this.options.configs.putLoggerLevel(namespace, level, byUser(user));
  }

  /** Internal endpoint: task configs from the connector's owner. Verifies the signature before it reads the body. */
  async submitTaskConfigs(name: string, body: SignedBody, read: ReadTaskConfigs): Promise<void> {
    const { configs, requests, offsetLocks } = this.options;
    const taskConfigs = read(this.verify('tasks', name, body));
    const stage = `writing ${taskConfigs.length} task configs for connector ${name} to the config topic`;
    await requests.runAsLeader(stage, async () => {
      const snapshot = configs.snapshot();
      if (!snapshot.contains(name)) throw notFound(name);
      if (snapshot.targetState(name) === 'STOPPED' && taskConfigs.length > 0)
        throw new HerderError(400, `Cannot submit non-empty set of task configs for stopped connector ${name}`);
      // The sender retries.
      if (offsetLocks.isHeld(name)) throw new HerderError(409, offsetsAreChanging(name));
      await configs.putTaskConfigs(name, taskConfigs, PUBLISHED);
    });
  }

  /** Internal endpoint for workers whose exactly-once tasks start: resolves when earlier tasks are fenced. */
  async fenceTasks(name: string, body: SignedBody): Promise<void> {
    this.verify('fence', name, body);
    await this.options.fence(name);
  }

  /** False: the group does not sign its requests. Throws HerderError. */
  private verify(kind: InternalRequest, connector: string, body: SignedBody): boolean {
    const { configs, requiresSignature, verificationAlgorithms, marks } = this.options;
    const isSigned = requiresSignature();
    if (isSigned) {
      verifySignature(configs.snapshot().sessionKey, verificationAlgorithms, body);
      marks.verify(kind, connector, body);
    }
    return isSigned;
  }

  /** On the leader. Once it is answered, this worker has read it. */
  private async change<T>(stage: string, run: () => Promise<T>): Promise<T> {
    const { requests, readBack, readOwnBack } = this.options;
    return await thenReadBack(requests.runAsLeader(stage, run), readBack, readOwnBack);
  }

  private async validate(config: ConnectorConfig): Promise<readonly ConfigWarning[]> {
    const infos = await this.options.validator.validate(config);
    const failure = validationFailure(infos);
    if (failure !== null) throw new HerderError(400, failure);
    return infos.warnings ?? [];
  }

  private logWarnings(name: string, warnings: readonly ConfigWarning[]): void {
    const { logger } = this.options;
    for (const { message } of warnings.slice(0, MAX_WARNINGS)) logger.warn(`Config of connector ${name}: ${message}`);
    const rest = warnings.length - MAX_WARNINGS;
    if (rest > 0) logger.warn(`Config of connector ${name}: ${rest} more warnings, which its validation returns`);
  }
}

const READ_TIMEOUT_MS = 30_000;
/** The owner of the connector sends new task configs when its connector requests it. */
const PUBLISHED = automatically('requested by the connector');

function patched(config: ConnectorConfig, patch: Readonly<Record<string, string | null>>): ConnectorConfig {
  const merged = { ...config, ...patch };
  return Object.fromEntries(Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== null));
}

function writing(name: string): string {
  return `writing a config for connector ${name} to the config topic`;
}
