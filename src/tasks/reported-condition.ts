/** What a task reports about its connection, and its calls that are retried, as one condition for the worker. */
import { type ConnectionProblem, isConnectError, messageOf, startTimer, type TaskConnection } from '@millrace/sdk';
import { redactText, TEXT_LIMIT } from '@millrace/texts/redaction';
import { type TaskCondition, type TaskProblem, UNKNOWN_CONDITION } from '../metrics/task-condition';

/** Changes within this time are reported as one: a task may fail and succeed many times a second. */
const REPORT_MS = 200;

export interface ReportedConditionOptions {
  /** Whose config values are hidden in reasons. */
  readonly connector: string;
  readonly report: (condition: TaskCondition) => void;
  /** Milliseconds since the epoch. (Default: the system's clock) */
  readonly now?: () => number;
}

export class ReportedCondition {
  /** What the plugin gets. */
  readonly connection: TaskConnection = {
    up: () => this.connected(),
    down: (problem) => this.disconnected(problem),
  };
  private isConnected: boolean | null = null;
  private disconnection: TaskProblem | null = null;
  private retry: TaskProblem | null = null;
  private converterWait: TaskProblem | null = null;
  private timer: NodeJS.Timeout | null = null;
  private reported = UNKNOWN_CONDITION;
  private ended = false;

  constructor(private readonly options: ReportedConditionOptions) {}

  /** A call has thrown a RetriableError, and is repeated. */
  retrying(error: unknown): void {
    this.retry = this.retryOf(error, this.retry);
    this.reportLater();
  }

  /** The call has succeeded. */
  succeeded(): void {
    if (this.retry === null) return;
    this.retry = null;
    this.reportLater();
  }

  /**
   * Records cannot be converted, for this reason. Calls of the task may succeed meanwhile.
   * @param agoMs when that began, if nothing is reported yet (Default: now)
   */
  converterWaits(error: unknown, agoMs = 0): void {
    const begun = this.retryOf(error, this.converterWait);
    this.converterWait = this.converterWait === null ? { ...begun, since: begun.since - Math.round(agoMs) } : begun;
    this.reportLater();
  }

  converterReady(): void {
    this.converterWait = null;
    this.reportLater();
  }

  /** From now on nothing is reported. */
  end(): void {
    this.ended = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private connected(): void {
    if (this.isConnected === true) return;
    this.isConnected = true;
    this.disconnection = null;
    this.reportLater();
  }

  private disconnected(problem: ConnectionProblem): void {
    this.isConnected = false;
    this.disconnection = this.problem('disconnected', problem, this.disconnection);
    this.reportLater();
  }

  private retryOf(error: unknown, before: TaskProblem | null): TaskProblem {
    const code = isConnectError(error) ? error.code : undefined;
    return this.problem('retrying', { reason: messageOf(error), ...(code !== undefined && { code }) }, before);
  }

  private problem(
    kind: TaskProblem['kind'],
    { reason, code, nextTryAt }: ConnectionProblem,
    before: TaskProblem | null,
  ): TaskProblem {
    const { connector, now = Date.now } = this.options;
    return {
      kind,
      since: before?.since ?? now(),
      reason: redactText(String(reason), TEXT_LIMIT, connector),
      code: typeof code === 'string' ? code : null,
      nextTryAt: typeof nextTryAt === 'number' && Number.isFinite(nextTryAt) ? nextTryAt : null,
    };
  }

  private reportLater(): void {
    if (this.ended) return;
    this.timer ??= startTimer(() => this.reportNow(), REPORT_MS).unref();
  }

  private reportNow(): void {
    this.timer = null;
    // A plugin knows better than the worker why its calls are repeated.
    const condition = {
      isConnected: this.isConnected,
      problem: this.disconnection ?? this.retry ?? this.converterWait,
    };
    if (isSame(condition, this.reported)) return;
    this.reported = condition;
    this.options.report(condition);
  }
}

function isSame(one: TaskCondition, other: TaskCondition): boolean {
  const [a, b] = [one.problem, other.problem];
  if (one.isConnected !== other.isConnected) return false;
  if (a === null || b === null) return a === b;
  return a.kind === b.kind && a.since === b.since && a.reason === b.reason && a.nextTryAt === b.nextTryAt;
}
