/**
 * Rounds of zombie fencing, by the leader: tasks of earlier generations lose their transactional ids before new tasks
 * start. Source: connect-runtime §3.9.
 */
import { isConnectError, messageOf, withDeadline } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import { about } from '../../logging/line-subject';
import type { Logger } from '../../logging/logger';
import type { ConfigStore } from '../../storage/config/config-store';
import { HerderError, NotHereError } from '../errors';
import { fencingDecision } from './fencing-decision';

/** For one round. Milliseconds. */
const ROUND_MS = 90_000;
/** Transactional ids of one request to Kafka: a record of the config topic may name any number of tasks. */
const AT_ONCE = 100;

export interface FencingRoundsOptions {
  readonly groupId: string;
  readonly configs: Pick<ConfigStore, 'snapshot' | 'readToEnd' | 'putTaskCountRecord'>;
  /** Runs a request on the tick of the leader; rejects with NotHereError elsewhere. */
  readonly runAsLeader: <T>(stage: string, run: () => Promise<T>) => Promise<T>;
  readonly isSink: (connector: string) => boolean;
  /** Fences with the connector's own admin settings, until the signal is aborted. */
  readonly fenceProducers: (connector: string, ids: Iterable<readonly string[]>, signal: AbortSignal) => Promise<void>;
  readonly readTimeoutMs: number;
  readonly logger: Logger;
}

interface Round {
  readonly done: Promise<void>;
  cancel(reason: HerderError): void;
}

export class FencingRounds {
  private readonly rounds = new Map<string, Round>();

  constructor(private readonly options: FencingRoundsOptions) {}

  /**
   * Resolves when no earlier task of the connector can write any more. Concurrent calls share one round. Rejects with
   * HerderError, or NotHereError on a worker that does not lead.
   */
  async fence(connector: string): Promise<void> {
    const stage = `initiating a round of zombie fencing for connector ${connector}`;
    const begun = await this.options.runAsLeader(stage, async () => await this.begin(connector));
    await begun.round?.done;
  }

  /** A commit record was read: the round does not cover the tasks that have run since. */
  onTasksCommitted(connector: string): void {
    this.rounds
      .get(connector)
      ?.cancel(
        new HerderError(409, 'Failed to complete zombie fencing because a new set of task configs was generated'),
      );
  }

  /** Runs on the tick. */
  private async begin(connector: string): Promise<{ readonly round: Round | null }> {
    const { configs, isSink, readTimeoutMs, logger } = this.options;
    this.requireSource(connector, isSink);
    await configs.readToEnd(readTimeoutMs);
    this.requireSource(connector, isSink);
    const snapshot = configs.snapshot();
    const decision = fencingDecision({
      pending: snapshot.isPendingFencing(connector),
      recorded: snapshot.taskCountRecord(connector),
      tasks: snapshot.taskCount(connector),
    });
    switch (decision.kind) {
      case 'none':
        return { round: null };
      case 'record':
        await configs.putTaskCountRecord(connector, decision.tasks);
        return { round: null };
      case 'fence': {
        const running = this.rounds.get(connector);
        if (running) return { round: running };
        logger.debug(`Fencing ${decision.fenced} task producer(s) of connector ${connector}`);
        return { round: this.start(connector, decision.fenced, decision.tasks) };
      }
    }
  }

  private start(connector: string, fenced: number, tasks: number): Round {
    const ended = new AbortController();
    let reject: Round['cancel'] = () => undefined;
    const cancelled = new Promise<never>((_, rejectRound) => (reject = rejectRound));
    const cancel = (reason: HerderError): void => {
      ended.abort();
      reject(reason);
    };
    const work = this.run(connector, fenced, tasks, ended.signal);
    const done = Promise.race([work, cancelled]).finally(() => {
      ended.abort();
      if (this.rounds.get(connector) === round) this.rounds.delete(connector);
    });
    // The callers process it, if there are any left.
    done.catch(() => undefined);
    work.catch(() => undefined);
    const round: Round = { done, cancel };
    this.rounds.set(connector, round);
    return round;
  }

  private async run(connector: string, fenced: number, tasks: number, ended: AbortSignal): Promise<void> {
    const { configs, fenceProducers, runAsLeader, readTimeoutMs, groupId, logger } = this.options;
    try {
      await withDeadline(
        fenceProducers(connector, transactionalIds(groupId, connector, fenced), ended),
        ROUND_MS,
        () => new HerderError(500, `Fencing took more than ${ROUND_MS} ms`),
      );
    } catch (error) {
      logger.error(`Cannot fence the tasks of connector ${connector}: ${messageOf(error)}`, about({ connector }));
      throw failed(error);
    }
    const stage = `writing a task count record for connector ${connector} to the config topic`;
    await runAsLeader(stage, async () => {
      await configs.readToEnd(readTimeoutMs);
      if (!configs.snapshot().contains(connector)) throw new HerderError(404, `Connector ${connector} not found`);
      if (ended.aborted)
        throw new HerderError(409, 'Fencing failed because new task configurations were generated for the connector');
      await configs.putTaskCountRecord(connector, tasks);
    }).catch((error: unknown) => {
      throw failed(error);
    });
  }

  private requireSource(connector: string, isSink: (connector: string) => boolean): void {
    if (!this.options.configs.snapshot().contains(connector))
      throw new HerderError(404, `Connector ${connector} not found`);
    if (isSink(connector)) throw new HerderError(400, `Connector ${connector} is not a source connector`);
  }
}

/** Java's: a Java worker that takes over the task fences this one, and the other way round. */
export function taskTransactionalId(groupId: string, { connector, task }: ConnectorTaskId): string {
  return `${groupId}-${connector}-${task}`;
}

function* transactionalIds(groupId: string, connector: string, count: number): Iterable<readonly string[]> {
  for (let first = 0; first < count; first += AT_ONCE)
    yield Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, i) =>
      taskTransactionalId(groupId, { connector, task: first + i }),
    );
}

/** Java's text for errors of other kinds. */
function failed(error: unknown): unknown {
  return error instanceof HerderError || error instanceof NotHereError || isConnectError(error)
    ? error
    : new HerderError(500, 'Failed to perform zombie fencing', { cause: error });
}
