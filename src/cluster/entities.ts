/** The types that REST shares with the herder. Source: connect-rest §1. */
import type { ConnectorConfig } from '@millrace/sdk';
import type { LetterGroup } from '../dead-letters/letter-groups';
import type { ShownLetter } from '../dead-letters/shown-letter';
import type { Figures } from '../metrics/exposition';
import type { RecordTexts } from '../records/record-texts';
import type { TargetState } from '../storage/config/config-records';
import type { Cause } from '../storage/log/cause';
import type { State } from '../storage/status/status-records';

export type { State, TargetState };
export { STATES } from '../storage/status/status-records';
export type ConnectorType = 'source' | 'sink' | 'unknown';

/** Members in Java's order; nulls are written. */
export interface ConnectorInfo {
  readonly name: string;
  readonly config: ConnectorConfig;
  readonly tasks: readonly { readonly connector: string; readonly task: number }[];
  readonly type: ConnectorType;
}

export interface ConnectorState {
  readonly state: State;
  readonly worker_id: string;
  readonly version?: string | null;
  readonly trace?: string;
  /** When it was written, milliseconds since the epoch; null or absent: unknown. Not part of Java's answers. */
  readonly since?: number | null;
}

export interface TaskState extends ConnectorState {
  readonly id: number;
}

export interface ConnectorStateInfo {
  readonly name: string;
  readonly connector: ConnectorState;
  readonly tasks: readonly TaskState[];
  readonly type: ConnectorType;
}

export interface TaskInfo {
  readonly id: { readonly connector: string; readonly task: number };
  readonly config: ConnectorConfig;
}

export interface RestartRequest {
  readonly includeTasks: boolean;
  readonly onlyFailed: boolean;
}

/** Dead letters of a connector, the newest first. */
export interface DeadLetterPage {
  readonly topic: string;
  /** Records in the topic, also of other connectors. */
  readonly total: number;
  readonly letters: readonly ShownLetter[];
}

/** Dead letters of a connector by their reasons. */
export interface DeadLetterGroups {
  readonly topic: string;
  /** Records in the topic, also of other connectors. */
  readonly total: number;
  /** The newest ones, which were read. */
  readonly read: number;
  readonly groups: readonly LetterGroup[];
}

/** What became of a dead letter that was sent back. */
export interface ReplayedLetter {
  /** `CODE: sentence`; null: written to its topic, and acknowledged. */
  readonly error: string | null;
  /** Why the record is a dead letter again; null: not within some seconds. */
  readonly failedAgain: string | null;
}

/** Of a sink's consumer group. Null: none, or unknown. */
export interface GroupPartition {
  readonly topic: string;
  readonly partition: number;
  readonly committed: number | null;
  /** The first offset of the partition. */
  readonly start: number | null;
  /** After the last record that the sink can read. */
  readonly end: number | null;
}

/** Records of a connector's topic, the newest first. */
export interface TopicRecordsPage {
  readonly topic: string;
  /** Records in the topic. */
  readonly total: number;
  readonly records: readonly (RecordTexts & {
    readonly partition: number;
    readonly offset: string;
    /** Milliseconds since the epoch; null: the record has no timestamp. */
    readonly at: number | null;
  })[];
}

export type { Cause } from '../storage/log/cause';

export type ChangeKind =
  | 'connector created'
  | 'config changed'
  | 'connector deleted'
  | 'paused'
  | 'resumed'
  | 'stopped'
  | 'restart requested'
  | 'restarted'
  | 'failed'
  | 'disconnected'
  | 'connected'
  | 'worker left the group'
  | 'worker joined the group'
  | 'task configs published'
  | 'logger level set';

/** A change as the worker keeps it: with the secrets of configs. */
export interface RecordedChange {
  /** Milliseconds since the epoch, by the clock of the worker that wrote it; null: unknown. */
  readonly at: number | null;
  readonly kind: ChangeKind;
  /** Name of the connector, the logger, or the worker. */
  readonly subject: string;
  /** Null: the connector itself. */
  readonly task: number | null;
  readonly cause: Cause;
  /** Of `config changed`; null for others. */
  readonly config: ChangedConfig | null;
  /** Of `failed`. */
  readonly failure?: RecordedFailure;
}

export interface RecordedFailure {
  /** The beginning of the trace, with the secrets of the config. */
  readonly trace: string;
  /** With which it failed, which decides what is a secret. Null: unknown. */
  readonly config: ConnectorConfig | null;
}

export interface ChangedConfig {
  readonly keys: readonly string[];
  /** The changed keys, and those that name plugins, which decide what is a secret. */
  readonly before: ConnectorConfig;
  readonly after: ConnectorConfig;
}

export interface SignedBody {
  readonly raw: Buffer;
  readonly signature: string | null;
  readonly algorithm: string | null;
  /** Of Millrace's workers: covers the rest of the request. (Default: none) */
  readonly mark?: string | null;
}

/**
 * Parses a body. Called only after its signature was verified, or when the group does not sign (`isSigned` false).
 */
export type ReadTaskConfigs = (isSigned: boolean) => readonly ConnectorConfig[];

/** This worker is not a member of its group: what it knows of connectors and tasks is old. */
export interface Absence {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly reason: string;
}

export interface WorkerHealth {
  readonly status: 'healthy' | 'starting' | 'unhealthy';
  readonly message: string;
  /** Null or absent: it is a member, or has not been one yet. */
  readonly absence?: Absence | null;
}

/** Metrics of this worker; the REST layer adds what identifies its process. */
export type WorkerFigures = Omit<Figures, 'app' | 'rest'> & { readonly clientId: string };

/** What the config and status topics contain about a connector, at one moment. */
export interface ConnectorRecord {
  readonly name: string;
  readonly config: ConnectorConfig;
  readonly type: ConnectorType;
  /** Requested last. */
  readonly target: TargetState;
  /** Number of tasks in the config topic. */
  readonly tasks: number;
  /** Null: none yet. */
  readonly status: ConnectorStateInfo | null;
}

/** A worker of the group. */
export interface WorkerMember {
  /** Its advertised URL. */
  readonly url: string;
  /** As in statuses. */
  readonly id: string;
}
