/**
 * Restarts and signals requested over REST. Sources: connect-runtime §3.7, connect-rest §1.11, §1.16, §2.2, Appendix R
 * 3.
 */
import type { TaskSignal } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import type { ConfigStore } from '../../storage/config/config-store';
import { byUser } from '../../storage/log/cause';
import type { AssignedWork } from '../running/assigned-work';
import type { ConnectorSet } from '../running/connector-set';
import { HerderError, NotHereError } from '../errors';
import type { ConnectorStateInfo, RestartRequest } from '../entities';
import type { HerderReads } from './herder-reads';
import { thenReadBack } from './read-back';
import type { Membership } from '../group/membership';
import { TaskSignalError } from '../../tasks/task-signal-error';
import { restartPlan } from '../running/restart-plan';
import type { TaskSet } from '../running/task-set';
import type { TickRequests } from './tick-requests';

export interface HerderRestartsOptions {
  readonly configs: ConfigStore;
  readonly reads: HerderReads;
  readonly requests: TickRequests;
  readonly membership: Membership;
  readonly connectors: ConnectorSet;
  readonly tasks: TaskSet;
  readonly work: AssignedWork;
  /** Reads what other workers have changed. */
  readonly readBack: () => Promise<void>;
}

/** `user`: who requests it, for the history; null: not authenticated. (Default: null) */
export class HerderRestarts {
  constructor(private readonly options: HerderRestartsOptions) {}

  /** Restarts the connector instance alone, and waits for it. */
  async restartConnector(name: string, user: string | null = null): Promise<void> {
    const { configs, requests, connectors, membership, work } = this.options;
    const stopped = requests.run(`stopping restarted connector ${name}`, async () => {
      this.requireConnector(name, configs);
      if (!connectors.runner(name)) throw new NotHereError(() => this.ownerUrl(() => membership.connectorOwner(name)));
      return { started: await work.beginConnectorRestart(name, byUser(user)) };
    });
    await this.awaitStart(stopped, `Failed to start connector: ${name}`);
  }

  /** Writes the request to the config topic; returns the states that it leads to. */
  async requestRestart(name: string, request: RestartRequest, user: string | null = null): Promise<ConnectorStateInfo> {
    const { configs, reads, requests, readBack } = this.options;
    const written = requests.runAsLeader(`restarting connector ${name}`, async () => {
      this.requireConnector(name, configs);
      const current = reads.statusOrNull(name);
      if (current === null) throw new HerderError(404, `Status for connector ${name} not found`);
      await configs.putRestartRequest(name, request.includeTasks, request.onlyFailed, byUser(user));
      return restartPlan(request, current).states;
    });
    return await thenReadBack(written, readBack);
  }

  async restartTask(connector: string, task: number, user: string | null = null): Promise<void> {
    const { requests, work } = this.options;
    const id = { connector, task };
    const stopped = requests.run(`restarting task ${connector}-${task}`, async () => {
      this.requireTask(id);
      return { started: await work.beginTaskRestart(id, byUser(user)) };
    });
    await this.awaitStart(stopped, `Failed to start task: ${connector}-${task}`);
  }

  /**
   * Resolves when the task has accepted the signal. HerderError 409: it is not running. 400: it does not accept it. The
   * tick only finds the task, which may take long to accept the signal.
   */
  async signalTask(connector: string, task: number, signal: TaskSignal): Promise<void> {
    const { requests, tasks } = this.options;
    const id = { connector, task };
    await requests.run(`finding task ${connector}-${task}`, async () => this.requireTask(id));
    try {
      await tasks.signal(id, signal);
    } catch (error) {
      if (!(error instanceof TaskSignalError)) throw error;
      throw new HerderError(error.failure === 'not running' ? 409 : 400, error.message, { cause: error });
    }
  }

  /** The tick waits only for the old instance to stop; the request waits for the new one to start. */
  private async awaitStart(stopped: Promise<{ started: () => Promise<void> }>, failed: string): Promise<void> {
    const restarted = stopped.then(async ({ started }) => {
      await started().catch((error: unknown) => {
        throw new HerderError(500, failed, { cause: error });
      });
    });
    await thenReadBack(restarted, this.options.readBack);
  }

  private requireTask(id: ConnectorTaskId): void {
    const { configs, tasks, membership } = this.options;
    this.requireConnector(id.connector, configs);
    if (!configs.snapshot().hasTask(id) && !tasks.has(id))
      throw new HerderError(404, `Unknown task: ${id.connector}-${id.task}`);
    if (!tasks.has(id)) throw new NotHereError(() => this.ownerUrl(() => membership.taskOwner(id)));
  }

  /** The leader knows the owner; the other workers know the leader. */
  private ownerUrl(owner: () => string | null): string | null {
    const { membership } = this.options;
    return membership.isLeader ? owner() : membership.leaderUrl;
  }

  private requireConnector(name: string, configs: ConfigStore): void {
    if (!configs.snapshot().contains(name)) throw new HerderError(404, `Unknown connector: ${name}`);
  }
}
