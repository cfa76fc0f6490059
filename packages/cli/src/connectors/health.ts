/** Health of a connector, as Millrace's workers report it with `?expand=health`; Java's workers do not. */
import { textOf } from '../rest/reply';

/** What can be done about a reason. */
export type HealthAction =
  /** Continue at this offset. */
  | { readonly kind: 'skip-record'; readonly topic: string; readonly partition: number; readonly offset: number }
  | { readonly kind: 'dead-letter-queue' | 'reset-offsets' | 'restart' };

/** Why a connector is not simply running. */
export interface HealthReason {
  /** Of the error, or one that begins with `HEALTH_`. */
  readonly code: string;
  readonly message: string;
  /** Null: nothing is known to do. */
  readonly cure: string | null;
  /** Milliseconds since the epoch, as `nextTryAt`; null: unknown. */
  readonly since: number | null;
  /** Null: of the connector, or of several tasks. */
  readonly task: number | null;
  readonly worker: string;
  readonly nextTryAt: number | null;
  readonly actions: readonly HealthAction[];
}

export interface Health {
  /** `failed`, `degraded`, `unknown`, `starting`, `running`, `paused` or `stopped`. */
  readonly summary: string;
  /** The worst first. */
  readonly reasons: readonly HealthReason[];
  /** By task; null: unknown. */
  readonly errorsPerSecond: ReadonlyMap<number, number | null>;
}

/** The worker that answers is not in its group: a reason of each of its connectors. */
export const NOT_IN_GROUP = 'HEALTH_NOT_IN_GROUP';
/** A task with only these works, although not as intended. */
const MILD: ReadonlySet<string> = new Set(['HEALTH_RETRYING', 'HEALTH_BEHIND']);
const BAD: ReadonlySet<string> = new Set(['failed', 'degraded', 'unknown']);

export function isBad(health: Health | null): boolean {
  return health !== null && BAD.has(health.summary);
}

export function isMild({ code }: HealthReason): boolean {
  return MILD.has(code);
}

/** Another worker is gone or does not answer, so that nothing recent is known. */
export function isOfWorker({ code }: HealthReason): boolean {
  return code === 'HEALTH_WORKER_GONE' || code === 'HEALTH_WORKER_SILENT';
}

/** A reason besides the failures of the connector and its tasks. */
export function isOfHealth({ code }: Pick<HealthReason, 'code'>): boolean {
  return code.startsWith('HEALTH_');
}

/** Null if the value does not have the shape of Millrace's. What has another form in it is left out. */
export function healthOf(value: unknown): Health | null {
  const { health, reasons, tasks } = members(value);
  if (typeof health !== 'string') return null;
  return {
    summary: health,
    reasons: entries(reasons).flatMap((reason) => reasonOf(reason)),
    errorsPerSecond: new Map(
      entries(tasks).flatMap(({ id, errors_per_second: rate }) =>
        typeof id === 'number' ? [[id, numberOf(rate)] as const] : [],
      ),
    ),
  };
}

function reasonOf(reason: Members): HealthReason[] {
  const { code, message, cure, since, task, worker_id: worker, next_try_at: nextTryAt, actions } = reason;
  if (typeof code !== 'string' || typeof message !== 'string') return [];
  return [
    {
      ...{ code, message, cure: textOf(cure) || null, since: numberOf(since), task: numberOf(task) },
      ...{ worker: textOf(worker), nextTryAt: numberOf(nextTryAt), actions: entries(actions).flatMap(actionOf) },
    },
  ];
}

function actionOf({ kind, topic, partition, offset }: Members): HealthAction[] {
  if (kind === 'dead-letter-queue' || kind === 'reset-offsets' || kind === 'restart') return [{ kind }];
  const isRecord = typeof topic === 'string' && Number.isSafeInteger(partition) && Number.isSafeInteger(offset);
  if (kind !== 'skip-record' || !isRecord) return [];
  return [{ kind, topic, partition: partition as number, offset: offset as number }];
}

type Members = Readonly<Record<string, unknown>>;

function members(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

function entries(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.map(members) : [];
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
