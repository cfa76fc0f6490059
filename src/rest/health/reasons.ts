/**
 * Why a connector is failed, degraded or unknown, and what can be done: the one health model of the console, `millrace
 * status`, `top`, `doctor` and `GET /connectors/NAME/health`. Health is the state, and whether the tasks are connected,
 * give records up, or fall behind. Pure.
 */
import type { ConnectorRow, Failure, HealthReason, TaskRow } from '@millrace/console';
import type { Absence } from '../../cluster/entities';
import { actionsOf } from './actions';
import { cureOfCode } from './failure';

/** A task that gave a record up within this time is degraded. */
const LATELY_MS = 900_000;
/** A task whose oldest record is older than this falls behind. */
const BEHIND_SECONDS = 300;
const MOST_REASONS = 20;

/** Of members that did not answer, by worker id: why. */
export type SilentWorkers = ReadonlyMap<string, string>;

export interface HealthFacts {
  readonly type: ConnectorRow['type'];
  readonly tasks: readonly TaskRow[];
  /** Workers that its parts need, and that are not members any more. */
  readonly goneWorkers: readonly string[];
  readonly failures: readonly Failure[];
  /** Null: none is configured. */
  readonly deadLetterTopic: string | null;
  /** Of the worker that answers. */
  readonly absence: Absence | null;
  readonly silent: SilentWorkers;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

type Reason = Partial<HealthReason> & Pick<HealthReason, 'code' | 'message'>;

/** The worst first. */
export function reasonsOf(facts: HealthFacts): readonly HealthReason[] {
  const running = facts.tasks.filter(({ state }) => state === 'RUNNING');
  const found: Reason[] = [
    ...absenceReasons(facts.absence),
    ...facts.failures.map((failure) => failureReason(failure, facts)),
    ...facts.goneWorkers.map(goneReason),
    ...silentReasons(running, facts.silent),
    ...running.flatMap((task) => taskReasons(task, facts)),
  ];
  return found.slice(0, MOST_REASONS).map((reason) => ({
    ...{ cure: cureOfCode(reason.code), since: null, task: null, worker: null, nextTryAt: null, actions: [] },
    ...reason,
  }));
}

function absenceReasons(absence: Absence | null): Reason[] {
  if (absence === null) return [];
  const { since, reason } = absence;
  const message = `The worker that answers is not in its group, so that states are the last known ones: ${sentence(reason)}`;
  return [{ code: 'HEALTH_NOT_IN_GROUP', message, since }];
}

function failureReason(failure: Failure, { type, deadLetterTopic }: HealthFacts): Reason {
  const { at, task, code, hint, place } = failure;
  const ofCode = code === null ? null : cureOfCode(code);
  const actions = actionsOf(failure, { type, hasDeadLetterTopic: deadLetterTopic !== null, cure: ofCode });
  return {
    code: code ?? (task === null ? 'CONNECTOR_FAILED' : 'TASK_FAILED'),
    message: withPlace(failure.sentence, place),
    ...(hint !== null && { cure: hint }),
    ...{ since: at, task, actions },
  };
}

function goneReason(worker: string): Reason {
  const message = `Worker ${worker} is not in the group any more, and no other one has taken its work over yet.`;
  return { code: 'HEALTH_WORKER_GONE', message, worker };
}

function silentReasons(running: readonly TaskRow[], silent: SilentWorkers): Reason[] {
  const workers = new Set(running.map(({ worker }) => worker));
  return [...workers].flatMap((worker) => {
    const problem = silent.get(worker);
    const message = `Worker ${worker}, whose tasks were RUNNING when it was heard last, gives no figures: ${problem}`;
    return problem === undefined ? [] : [{ code: 'HEALTH_WORKER_SILENT', message, worker }];
  });
}

function taskReasons(task: TaskRow, { deadLetterTopic, now }: HealthFacts): Reason[] {
  const { id, worker, problem, errors, lastErrorAt, lag } = task;
  const found: Reason[] = [];
  if (problem !== null) {
    const { kind, since, reason, code, nextTryAt } = problem;
    const cure = code === null ? null : cureOfCode(code);
    const known = { ...(cure !== null && { cure }), since, task: id, worker, nextTryAt };
    found.push(
      kind === 'disconnected'
        ? { code: 'HEALTH_DISCONNECTED', message: `Task ${id} is disconnected: ${sentence(reason)}`, ...known }
        : { code: 'HEALTH_RETRYING', message: `Task ${id} ${verbOf(code)}: ${sentence(reason)}`, ...known },
    );
  }
  if (lastErrorAt !== null && errors !== null && now - lastErrorAt < LATELY_MS) {
    const count = `${errors.toLocaleString('en-US')} ${errors === 1 ? 'record' : 'records'}`;
    found.push({
      code: 'HEALTH_FAILING_RECORDS',
      message: `Task ${id} has given up ${count} since it started, the last one at ${new Date(lastErrorAt).toISOString()}.`,
      cure:
        deadLetterTopic === null
          ? 'See why in the log of the connector, and correct the records or the config.'
          : `See why in the dead letters of ${deadLetterTopic}, correct the cause, and replay them.`,
      ...{ since: lastErrorAt, task: id, worker },
    });
  }
  if (lag.seconds !== null && lag.seconds >= BEHIND_SECONDS)
    found.push({
      code: 'HEALTH_BEHIND',
      message: `Task ${id} is ${Math.round(lag.seconds).toLocaleString('en-US')} seconds behind.`,
      ...{ task: id, worker },
    });
  return found;
}

/** @example withPlace('It failed.', { topic: 't', offset: '5' }) === 'It failed. (topic t, offset 5)' */
export function withPlace(text: string, place: Failure['place']): string {
  const parts = Object.entries(place).map(([name, value]) => `${name} ${value}`);
  return parts.length === 0 ? text : `${text} (${parts.join(', ')})`;
}

/** Nothing has failed yet where a call takes long. */
function verbOf(code: string | null): string {
  return code === 'CONVERTER_NOT_READY' ? 'waits' : 'repeats a call that fails';
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
