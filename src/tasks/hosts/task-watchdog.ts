/** Watches the calls of all tasks of a host, and has tasks restarted whose calls do not return. */
import { ConnectError } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import { readKey } from '../../config/framework-key';
import { MILLRACE_KEYS } from '../../config/millrace-keys';
import type { TaskAction } from '../../config/worker-settings';
import type { Logger } from '../../logging/logger';
import type { CallClock, TaskCall, TaskWait } from '../call-clock';
import type { TaskSpec, TaskWatch } from '../host';
import { taskName } from '../task-id';
import { formatTrace } from '../trace';
import type { DeliveryProgress } from './delivery-progress';
import { Watchdog, type WatchedCall } from './watchdog';

/** More stuck tasks are only counted in the health report. */
const MAX_PROBLEMS = 10;
/** Beyond it the oldest count is dropped, so that deleted connectors do not accumulate. */
const MAX_COUNTS = 10_000;

const { watchdogTaskMs: LIMIT, watchdogTaskAction: ACTION } = MILLRACE_KEYS;

/** A started task. */
export interface WatchedTask {
  readonly spec: TaskSpec;
  readonly calls: Pick<CallClock, 'calls' | 'waits'>;
  /** Sources only; null: its metrics are not read. */
  readonly deliveries: DeliveryProgress | null;
  readonly excused: boolean;
  readonly fate: () => string | null;
  /** Ends the run as failed. Null: it is ending already. */
  readonly restart: ((trace: string, stuckMs: number) => void) | null;
}

export interface TaskWatchdogOptions {
  readonly tasks: () => readonly WatchedTask[];
  /** `watchdog.task.ms` of the worker. */
  readonly limitMs: number;
  /** `watchdog.task.action` of the worker. */
  readonly action: TaskAction;
  /** Ends the trace of a restarted task: what became of the call. */
  readonly consequence: string;
  readonly logger: Logger;
  /** Call clocks are wall clocks, which threads share. */
  readonly now?: () => number;
}

interface StuckTaskCall extends WatchedCall {
  readonly task: ConnectorTaskId;
  readonly call: TaskCall | TaskWait | 'delivery';
}

const WAITING: Readonly<Record<TaskWait | 'delivery', string>> = {
  delivery: 'the delivery of its records',
  'offset-read': 'the reading of its offsets',
  'offset-write': 'the storing of its offsets',
  'offset-commit': 'the commit of its offsets',
  'dead-letter': 'the delivery to its dead letter topic',
};

export class TaskWatchdog {
  private readonly watchdog: Watchdog;
  private readonly restarts = new Map<string, number>();

  constructor(private readonly options: TaskWatchdogOptions) {
    const { limitMs, logger, now } = options;
    this.watchdog = new Watchdog({ calls: () => this.calls(), limitMs, logger, ...(now && { now, wallClock: now }) });
  }

  start(): void {
    this.watchdog.start();
  }

  stop(): void {
    this.watchdog.stop();
  }

  check(): void {
    this.watchdog.check();
  }

  /** One sentence for each stuck call, of the first ones. */
  problems(): string[] {
    const stuck = this.watchdog.stuck();
    const sentences = stuck
      .slice(0, MAX_PROBLEMS)
      .map(
        ({ call: { what, verb = 'returned' }, lastedMs }) =>
          `${what} has not ${verb} for ${Math.round(lastedMs / 1000)} s.`,
      );
    const more = stuck.length - sentences.length;
    return more > 0 ? [...sentences, `${more} more calls of tasks have not returned.`] : sentences;
  }

  /** One look at all tasks. */
  watch(): (id: ConnectorTaskId) => TaskWatch {
    const stuck = new Map<string, { call: string; ms: number }[]>();
    for (const { call, lastedMs } of this.watchdog.stuck() as { call: StuckTaskCall; lastedMs: number }[]) {
      const name = taskName(call.task);
      stuck.set(name, [...(stuck.get(name) ?? []), { call: call.call, ms: lastedMs }]);
    }
    return (id) => ({ stuck: stuck.get(taskName(id)) ?? [], restarts: this.restarts.get(taskName(id)) ?? 0 });
  }

  private calls(): StuckTaskCall[] {
    return this.options.tasks().flatMap((task) => [...this.pluginCalls(task), ...this.waits(task)]);
  }

  private pluginCalls(task: WatchedTask): StuckTaskCall[] {
    const { id, connectorConfig } = task.spec;
    const { limitMs, action } = this.options;
    const restarts = (readKey(ACTION, connectorConfig) ?? action) === 'restart';
    // The call may wait for Kafka: a restart would not help, and would deliver records twice. None waits for a commit.
    const waits = task.calls.waits().some(({ call }) => call !== 'offset-commit');
    const restartHint = waits
      ? 'It is not restarted while requests of the task to Kafka are unanswered.'
      : 'The task is restarted.';
    const calls = [...task.calls.calls()].sort((a, b) => a.since - b.since);
    return calls.map(({ call, since }, i) => ({
      task: id,
      call,
      id: `${taskName(id)} ${call}`,
      what: `Task ${taskName(id)}: ${nameOf(call, 'its')}`,
      since,
      limitMs: readKey(LIMIT, connectorConfig) ?? limitMs,
      hint: restarts
        ? restartHint
        : `Restart the task to end the call, raise ${LIMIT.name} if it needs that long, or set ${ACTION.name}=restart.`,
      excused: task.excused,
      fate: task.fate,
      // One of them ends the run, and all of them with it.
      ...(restarts && !waits && i === 0 && this.endOf(task, call, since)),
    }));
  }

  private endOf({ spec, restart }: WatchedTask, call: TaskCall, since: number): Pick<WatchedCall, 'end'> {
    if (restart === null) return {};
    return {
      end: (lastedMs) => {
        this.count(taskName(spec.id));
        restart(this.traceOf(spec.id, call, since, lastedMs), lastedMs);
      },
    };
  }

  private waits(task: WatchedTask): StuckTaskCall[] {
    const { id, connectorConfig } = task.spec;
    const delivery = task.deliveries?.unacknowledged() ?? null;
    const waits: { call: TaskWait | 'delivery'; since: number; records?: number }[] = task.calls.waits();
    if (delivery !== null) waits.push({ call: 'delivery', ...delivery });
    return waits.map(({ call, since, records }) => ({
      task: id,
      call,
      id: `${taskName(id)} ${call}`,
      what: `Task ${taskName(id)}: ${WAITING[call]}${records === undefined ? '' : ` (${records})`}`,
      verb: 'been acknowledged by Kafka',
      since,
      limitMs: readKey(LIMIT, connectorConfig) ?? this.options.limitMs,
      hint: 'Check the brokers and the topics; the request is repeated until it succeeds, and the task is not restarted.',
      excused: task.excused,
      fate: task.fate,
    }));
  }

  private traceOf({ connector }: ConnectorTaskId, call: TaskCall, since: number, lastedMs: number): string {
    const began = new Date(since).toISOString();
    const error = new ConnectError(
      `${nameOf(call, "this task's")} has not returned for ${Math.round(lastedMs / 1000)} s, since ${began}: the task was ended (${ACTION.name}=restart). ${this.options.consequence}`,
      { code: 'TASK_STUCK' },
    );
    // Its frames are those of the watchdog.
    error.stack = `${error.name}: ${error.message}`;
    return formatTrace(error, connector);
  }

  private count(name: string): void {
    const restarts = (this.restarts.get(name) ?? 0) + 1;
    this.restarts.delete(name);
    this.restarts.set(name, restarts);
    const [oldest] = this.restarts.keys();
    if (this.restarts.size > MAX_COUNTS && oldest !== undefined) this.restarts.delete(oldest);
  }
}

/** @param of whose it is */
function nameOf(call: TaskCall, of: string): string {
  return call === 'convert' ? `a call of ${of} transformation, predicate or converter` : `${call}() of ${of} plugin`;
}
