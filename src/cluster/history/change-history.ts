/**
 * What changed lately: from the records of the config and the status topic, as this worker reads them. Of what it reads
 * at startup, compaction has left the newest record of each key.
 */
import type { ConnectorConfig } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import { embeddedPrefix } from '../../config/connector-config';
import type { Cause, Restart } from '../../storage/log/cause';
import type { ConfigDelta } from '../../storage/config/config-state';
import type { StoredStatus } from '../../storage/status/status-records';
import type { WorkEntity } from '../../storage/status/status-store';
import type { ChangedConfig, ChangeKind, RecordedChange } from '../entities';
import { RecentChanges, type ChangeBounds } from './recent-changes';

const BOUNDS: ChangeBounds = { newest: 500, perSubject: 5, bytes: 512 * 1024 };

/** Keys and values of one change. Characters. */
const MAX_VALUE = 4_000;
const MAX_KEYS = 100;
/** Of a trace, whose reason comes first. Characters. */
const MAX_TRACE = 8_192;

const TARGET_KINDS = { STARTED: 'resumed', PAUSED: 'paused', STOPPED: 'stopped' } as const;
const AUTOMATIC: Cause = { by: 'automatic', user: null, detail: null };

export class ChangeHistory {
  private readonly changes: RecentChanges;
  /** The newest of each connector, the same objects as in the store. */
  private readonly configs = new Map<string, ConnectorConfig>();

  constructor(bounds = BOUNDS) {
    this.changes = new RecentChanges(bounds);
  }

  /** @param at when the record was written; negative: it has no timestamp */
  readonly onConfig = (delta: ConfigDelta, at: number, cause: Cause): void => {
    if (delta.kind === 'connector') this.keepConfig(delta.connector, delta.after);
    const change = configChange(delta, at < 0 ? null : at, cause);
    if (change !== null) this.add(change);
  };

  readonly onStatus = (entity: WorkEntity, status: StoredStatus, before: StoredStatus | null): void => {
    const { restart, state, trace, writtenAt } = status;
    if (restart !== null && restart.at !== before?.restart?.at) this.add(restartChange(entity, restart));
    // A status that is written again with the same trace is the same failure.
    if (state === 'FAILED' && (before?.state !== 'FAILED' || before.trace !== trace))
      this.add({
        ...change('failed', entity.connector, writtenAt, AUTOMATIC, taskOf(entity)),
        failure: { trace: beginningOf(trace ?? ''), config: this.configs.get(entity.connector) ?? null },
      });
  };

  /** `problem` null: the task is connected again. */
  readonly onConnection = (id: ConnectorTaskId, problem: { readonly reason: string } | null): void => {
    const cause = { ...AUTOMATIC, detail: problem?.reason ?? null };
    this.add(change(problem ? 'disconnected' : 'connected', id.connector, Date.now(), cause, id.task));
  };

  /** `absence` null: the worker is a member of its group again. */
  readonly onMember = (worker: string, absence: { readonly since: number; readonly reason: string } | null): void => {
    const kind = absence ? 'worker left the group' : 'worker joined the group';
    const cause = { ...AUTOMATIC, detail: absence?.reason ?? null };
    this.add(change(kind, worker, absence?.since ?? Date.now(), cause));
  };

  /** The newest first. `connector`: its own only. */
  list(connector?: string): readonly RecordedChange[] {
    if (connector === undefined) return this.changes.all();
    return this.changes.of(keyOf('connector', connector), (each) => isOf(connector, each));
  }

  private keepConfig(connector: string, config: ConnectorConfig | null): void {
    if (config === null) this.configs.delete(connector);
    else this.configs.set(connector, config);
  }

  private add(added: RecordedChange): void {
    this.changes.add(keyOf(subjectOf(added), added.subject), added);
  }
}

export function restartChange(entity: WorkEntity, restart: Restart): RecordedChange {
  return change('restarted', entity.connector, restart.at, restart.cause, taskOf(entity));
}

function configChange(delta: ConfigDelta, at: number | null, cause: Cause): RecordedChange | null {
  switch (delta.kind) {
    case 'connector': {
      const { connector, before, after } = delta;
      if (after === null) return change('connector deleted', connector, at, cause);
      if (cause.creates === true) return change('connector created', connector, at, cause);
      const config = before && changedConfig(before, after);
      // A document that is applied again changes nothing.
      if (config?.keys.length === 0) return null;
      return { ...change('config changed', connector, at, cause), config };
    }
    case 'target-state':
      return change(TARGET_KINDS[delta.state], delta.connector, at, cause);
    case 'tasks':
      // The stop of a connector removes its tasks.
      if (delta.tasks === 0 && cause.by === 'user') return null;
      return change('task configs published', delta.connector, at, {
        ...cause,
        detail: `${delta.tasks} ${delta.tasks === 1 ? 'task' : 'tasks'}`,
      });
    case 'restart':
      return change('restart requested', delta.connector, at, { ...cause, detail: restartText(delta) });
    case 'logger':
      return change('logger level set', delta.namespace, at, { ...cause, detail: `level ${delta.level}` });
  }
}

/**
 * The difference between two configs, with what decides which of its values are secrets. Long values are replaced by
 * their length: a cut one could hold the start of a secret.
 */
function changedConfig(before: ConnectorConfig, after: ConnectorConfig): ChangedConfig {
  const all = new Set([...Object.keys(before), ...Object.keys(after)]);
  const keys = [...all].filter((key) => before[key] !== after[key]).slice(0, MAX_KEYS);
  const kept = new Set([...keys, ...[...all].filter((key) => key === 'connector.class' || isPluginKey(key))]);
  return { keys, before: pick(before, kept), after: pick(after, kept) };
}

function isPluginKey(key: string): boolean {
  return embeddedPrefix(key) !== null;
}

function pick(config: ConnectorConfig, keys: ReadonlySet<string>): ConnectorConfig {
  return Object.fromEntries(
    Object.entries(config).flatMap(([key, value]) => (keys.has(key) ? [[key, shortened(value)]] : [])),
  );
}

function shortened(value: string): string {
  return value.length <= MAX_VALUE ? value : `(${value.length.toLocaleString('en-US')} characters)`;
}

function change(
  kind: ChangeKind,
  subject: string,
  at: number | null,
  cause: Cause,
  task: number | null = null,
): RecordedChange {
  return { at, kind, subject, task, cause, config: null };
}

/** Whole lines: a cut one could end with the start of a secret. */
function beginningOf(trace: string): string {
  return trace.length <= MAX_TRACE ? trace : trace.slice(0, Math.max(0, trace.lastIndexOf('\n', MAX_TRACE)));
}

/** @example connector and tasks, failed only */
function restartText({ includeTasks, onlyFailed }: { includeTasks: boolean; onlyFailed: boolean }): string {
  return `${includeTasks ? 'connector and tasks' : 'connector'}${onlyFailed ? ', failed only' : ''}`;
}

function taskOf(entity: WorkEntity): number | null {
  return entity.kind === 'task' ? entity.task : null;
}

type Subject = 'connector' | 'logger' | 'worker';

function subjectOf({ kind }: RecordedChange): Subject {
  if (kind === 'logger level set') return 'logger';
  return kind.startsWith('worker ') ? 'worker' : 'connector';
}

function isOf(connector: string, each: RecordedChange): boolean {
  return each.subject === connector && subjectOf(each) === 'connector';
}

function keyOf(kind: Subject, name: string): string {
  return `${kind} ${name}`;
}
