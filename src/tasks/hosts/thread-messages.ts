/**
 * What crosses the boundary between the worker and its task threads: control, never records. `run` numbers one start of
 * one task.
 */
import type { SourceOffset, SourcePartition } from '@millrace/sdk';
import type { LevelName, LogLevels } from '../../logging/log-levels';
import type { LogLine } from '../../threads/thread-logger';
import type { HideMessage } from '../../threads/thread-secrets';
import type { TaskSpec } from '../host';

/** Given to a thread when it is made. Holds secrets: never log it. */
export interface ThreadData {
  /** Worker settings as they were given. */
  readonly settings: Readonly<Record<string, string>>;
  /** The plug-in registry's findings; plain data. */
  readonly catalog: unknown;
  readonly levels: ReturnType<LogLevels['snapshot']>;
  /** Memory of a ThreadBeat, shared by both sides. */
  readonly beat: SharedArrayBuffer;
}

export type ToThread =
  /** `clock`: memory of a CallClock, shared by both sides. */
  | { readonly type: 'start'; readonly run: number; readonly spec: TaskSpec; readonly clock: SharedArrayBuffer }
  | { readonly type: 'pause' | 'resume' | 'stop' | 'cancel'; readonly run: number }
  | { readonly type: 'forget-topic'; readonly run: number; readonly topic: string }
  /** What config providers gave: no line or trace of the thread shows it. */
  | HideMessage
  | { readonly type: 'log-level'; readonly namespace: string; readonly level: LevelName }
  /** Answers `read` and `write`; `error` null: it went well. */
  | {
      readonly type: 'answer';
      readonly request: number;
      readonly offsets: readonly (SourceOffset | null)[];
      readonly error: string | null;
    };

export type FromThread =
  | { readonly type: 'running' | 'paused' | 'resumed'; readonly run: number }
  /** `stopped` and `failed` are the last word of a run: everything it held is closed. */
  | { readonly type: 'stopped'; readonly run: number }
  /** The same of a run that was cut off. */
  | { readonly type: 'cancelled'; readonly run: number }
  | { readonly type: 'failed'; readonly run: number; readonly trace: string; readonly retriable: boolean }
  | { readonly type: 'topic'; readonly run: number; readonly topic: string }
  | {
      readonly type: 'read';
      readonly run: number;
      readonly request: number;
      readonly partitions: readonly SourcePartition[];
    }
  | {
      readonly type: 'write';
      readonly run: number;
      readonly request: number;
      readonly offsets: readonly (readonly [SourcePartition | null, SourceOffset | null])[];
    }
  | LogLine
  /** An error nobody caught: the thread is to be ended. `run` null: it is unknown whose. */
  | { readonly type: 'crash'; readonly run: number | null; readonly trace: string };
