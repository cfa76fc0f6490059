/**
 * Messages between the worker and its task threads: control, never records. `run` numbers one start of one task.
 */
import type { SourcePartition, TaskSignal } from '@millrace/sdk';
import type { LevelName } from '@millrace/texts/rest-names';
import type { LogLevels } from '../../logging/log-levels';
import type { ClientAnnouncement } from '../../metrics/open-clients';
import type { PublishedSeries } from '../../metrics/published-series';
import type { TaskCondition } from '../../metrics/task-condition';
import type { LogLine } from '../../threads/thread-logger';
import type { HideMessage } from '../../threads/thread-secrets';
import type { NewOffsets, TaskSpec } from '../host';
import type { SignalFailure } from '../task-signal-error';

/** Passed to a thread when it is created. Holds secrets: never log it. */
export interface ThreadData {
  /** Worker settings, unparsed. */
  readonly settings: Readonly<Record<string, string>>;
  /** Catalog of the plugin registry; plain data. */
  readonly catalog: unknown;
  /** Where the thread reaches the JVMs of plugins in jars. (Default: there are none) */
  readonly jvms?: string | null;
  readonly levels: ReturnType<LogLevels['snapshot']>;
  /** Memory of the heartbeat, shared by both sides. */
  readonly beat: SharedArrayBuffer;
}

export type ToThread =
  /** `clock`: memory of a CallClock, shared by both sides. */
  | { readonly type: 'start'; readonly run: number; readonly spec: TaskSpec; readonly clock: SharedArrayBuffer }
  | { readonly type: 'pause' | 'resume' | 'stop' | 'cancel'; readonly run: number }
  | { readonly type: 'forget-topic'; readonly run: number; readonly topic: string }
  /** Answered by `signaled`. */
  | { readonly type: 'signal'; readonly run: number; readonly request: number; readonly signal: TaskSignal }
  /** Values of config providers, which the thread hides in log lines and traces. */
  | HideMessage
  /** The thread is to count a heartbeat. */
  | { readonly type: 'beat' }
  | { readonly type: 'log-level'; readonly namespace: string; readonly level: LevelName }
  | Answer;

/** What a task calls in the main thread: OffsetStorage and ExactlyOnceGate. */
export type WorkerCall =
  | { readonly name: 'read'; readonly partitions: readonly SourcePartition[] }
  | { readonly name: 'write' | 'encode' | 'copy'; readonly offsets: NewOffsets }
  | { readonly name: 'fence' }
  | { readonly name: 'confirm'; readonly generation: number };

/** Response to a `call`; `error` null: success. */
export interface Answer {
  readonly type: 'answer';
  readonly request: number;
  readonly result: unknown;
  readonly error: { readonly message: string; readonly code: string; readonly retriable: boolean } | null;
}

export type FromThread =
  | { readonly type: 'running' | 'paused' | 'resumed'; readonly run: number }
  /** `stopped` and `failed` are the last message of a run: its clients are closed. */
  | { readonly type: 'stopped'; readonly run: number }
  /** Last message of a cancelled run. */
  | { readonly type: 'cancelled'; readonly run: number }
  | { readonly type: 'failed'; readonly run: number; readonly trace: string; readonly retriable: boolean }
  | { readonly type: 'topic'; readonly run: number; readonly topic: string }
  | { readonly type: 'metrics'; readonly run: number; readonly series: readonly PublishedSeries[] }
  | { readonly type: 'condition'; readonly run: number; readonly condition: TaskCondition }
  | { readonly type: 'client'; readonly run: number; readonly announcement: ClientAnnouncement }
  /** `failure` null: the task has accepted the signal. */
  | {
      readonly type: 'signaled';
      readonly run: number;
      readonly request: number;
      readonly failure: { readonly kind: SignalFailure; readonly message: string } | null;
    }
  /** Answered by `answer`. */
  | { readonly type: 'call'; readonly run: number; readonly request: number; readonly call: WorkerCall }
  | LogLine
  /** An uncaught error: the thread is terminated. `run` null: the task that caused it is unknown. */
  | { readonly type: 'crash'; readonly run: number | null; readonly trace: string };
