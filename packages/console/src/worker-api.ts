/**
 * What the console in the browser and the worker exchange under `/ui/api`, beside Connect's REST API, which the console
 * uses for every change. Not a public API: it changes with the console, and both come from the same worker. Times are
 * milliseconds since the epoch, by the worker's clock. Secrets are hidden from every caller.
 */
import type { Panel } from './figures-api';

export type * from './data-api';
export type * from './figures-api';

export type Role = 'reader' | 'operator' | 'admin';
export type State = 'UNASSIGNED' | 'RUNNING' | 'PAUSED' | 'STOPPED' | 'FAILED' | 'RESTARTING';

/** `GET /ui/api/session`: who asks, and what the caller may do. 401 without `WWW-Authenticate`: the console asks. */
export interface Session {
  /** Null: not authenticated, because the worker does not ask. */
  readonly user: string | null;
  /** `admin` for everyone while no roles are set. */
  readonly role: Role;
  readonly worker: string;
  readonly millraceVersion: string;
  readonly connectVersion: string;
  readonly groupId: string;
  /** False: `admin.listeners` moves the loggers to another address, or disables them. */
  readonly hasLoggers: boolean;
  /** `topic.tracking.enable` */
  readonly tracksTopics: boolean;
  /** Of the documentation, without a slash at the end. Null: `console.docs.url` is not set. */
  readonly docsUrl: string | null;
}

/** The body of a 401 of `/ui/api`: which credentials the worker accepts. */
export interface SignIn {
  readonly error_code: 401;
  readonly message: string;
  readonly accepts: readonly ('basic' | 'bearer')[];
}

/** The first thing to say about a failure. */
export interface Failure {
  /** When the status was written. Null: unknown. */
  readonly at: number | null;
  /** Null: the connector itself. */
  readonly task: number | null;
  /** Code of the error, such as `PG_SLOT_LOST`, if it has one. */
  readonly code: string | null;
  /** First sentence of the trace, without the exception's class. */
  readonly sentence: string;
  /** What to do, if the error says so. */
  readonly hint: string | null;
  /** Where it happened, as the error says: `topic`, `partition`, `offset`, … */
  readonly place: Readonly<Record<string, string>>;
  readonly trace: string;
}

/** What can be done about a reason. */
export type HealthAction =
  /** Continue at this offset, the one after the record that fails. */
  | { readonly kind: 'skip-record'; readonly topic: string; readonly partition: number; readonly offset: number }
  /** Write records that fail to a dead letter queue, and continue. */
  | { readonly kind: 'dead-letter-queue' }
  | { readonly kind: 'reset-offsets' }
  | { readonly kind: 'restart' };

/** Why a connector is not simply running. */
export interface HealthReason {
  /** Of the error, such as `PG_SLOT_LOST`, or one that begins with `HEALTH_`. */
  readonly code: string;
  /** One sentence or two, with the place. */
  readonly message: string;
  /** Null: nothing is known to do. */
  readonly cure: string | null;
  readonly since: number | null;
  /** Null: of the connector, or of several tasks. */
  readonly task: number | null;
  readonly worker: string | null;
  readonly nextTryAt: number | null;
  readonly actions: readonly HealthAction[];
}

/** Why a running task makes no progress now. */
export interface TaskProblem {
  readonly kind: 'disconnected' | 'retrying';
  readonly since: number;
  readonly reason: string;
  readonly code: string | null;
  readonly nextTryAt: number | null;
}

/** Of sinks in their topics, of sources what their plugins publish as lag. Null: unknown, or none. */
export interface Lag {
  readonly records: number | null;
  readonly bytes: number | null;
  readonly seconds: number | null;
}

export interface TaskRow {
  readonly id: number;
  readonly state: State;
  readonly worker: string;
  /** The worker is not a member of the group any more: the state is the last known one. */
  readonly isWorkerGone: boolean;
  /** When the state was written. Null: unknown. */
  readonly since: number | null;
  /** Records written by a source or delivered to a sink per second. Null: its worker reports none. */
  readonly rate: number | null;
  readonly lag: Lag;
  /** Records that were given up since the task started: dead letters, skipped ones, and those that failed it. */
  readonly errors: number | null;
  /** Per second. */
  readonly errorRate: number | null;
  /** Null: unknown, or none. */
  readonly lastErrorAt: number | null;
  /** To its external system. Null: unknown, because its plugin does not say or its worker does not report. */
  readonly isConnected: boolean | null;
  readonly problem: TaskProblem | null;
  /** Number of the thread of its worker's process, which tasks may share. Null: the main thread, or unknown. */
  readonly thread: number | null;
}

export interface ConnectorRow {
  readonly name: string;
  readonly type: 'source' | 'sink' | 'unknown';
  /** `connector.class` */
  readonly className: string;
  readonly version: string | null;
  /** Of the connector, as in Connect's status. `UNASSIGNED` until there is one. */
  readonly state: State;
  /** What was requested last. Differs from `state` while the change is on its way. */
  readonly target: 'STARTED' | 'PAUSED' | 'STOPPED';
  /** What a person should see first: the states, and what the tasks report. `unknown`: nothing recent is known. */
  readonly summary: 'failed' | 'degraded' | 'unknown' | 'starting' | 'running' | 'paused' | 'stopped';
  /** Why it is failed, degraded or unknown, the worst first. Empty for others. At most 20. */
  readonly reasons: readonly HealthReason[];
  readonly worker: string;
  readonly isWorkerGone: boolean;
  readonly since: number | null;
  readonly tasks: readonly TaskRow[];
  readonly tasksMax: number | null;
  readonly rate: number | null;
  readonly lag: Lag;
  readonly errors: number | null;
  /** Per second. */
  readonly errorRate: number | null;
  /** The newest failure of the connector or its tasks; null when nothing is failed. The trace is empty in lists. */
  readonly failure: Failure | null;
}

/** What runs a connector. */
export interface PluginInUse {
  readonly class: string;
  /** Null: it has none. */
  readonly version: string | null;
  /** Folder or jar, or `built-in`. Null: the worker that answers does not have this version. */
  readonly location: string | null;
  readonly runsIn: 'node' | 'jvm' | null;
}

/** The JVM on one worker that runs parts of a connector. Null: unknown. */
export interface ConnectorJvm {
  readonly worker: string;
  /** `silent`: it has not answered for half a minute. `unknown`: the worker does not tell of it. */
  readonly state: 'up' | 'starting' | 'silent' | 'unknown';
  /** False: it is that of the folder of jars, and may run others. */
  readonly isOwn: boolean | null;
  readonly pid: number | null;
  /** Bytes, as the following. */
  readonly heapUsed: number | null;
  readonly heapMax: number | null;
  /** Of the process. */
  readonly residentBytes: number | null;
  /** Since the worker started, after ends that nobody wanted. */
  readonly restarts: number | null;
  /** Threads that do not end though what they worked for has. */
  readonly hungThreads: number | null;
  readonly silentSeconds: number | null;
}

export interface WorkerRow {
  /** `host:port`, as in statuses. */
  readonly id: string;
  readonly url: string | null;
  /**
   * `answering`: gave its figures. `silent`: a member that did not answer in time. `other`: a member without them, such
   * as a Java worker. `gone`: statuses name it, but it is not a member.
   */
  readonly state: 'answering' | 'silent' | 'other' | 'gone';
  /** Why it is silent. */
  readonly problem: string | null;
  readonly isLeader: boolean;
  readonly isThis: boolean;
  readonly version: string | null;
  readonly connectors: number;
  readonly tasks: number;
  /** Of one core, 1 is all of it, since the figures before. */
  readonly cpu: number | null;
  readonly memoryBytes: number | null;
  readonly rate: number | null;
  readonly startedAt: number | null;
  /** What `GET /health` says; null: healthy without a remark, or unknown. */
  readonly health: string | null;
}

/** Rates of the last minutes of one connector, oldest first; null: its worker did not run, or did not answer. */
export interface RateHistory {
  readonly connector: string;
  readonly rates: readonly (number | null)[];
}

/** `GET /ui/api/overview?history=true|false`. One consistent moment: statuses, configs and figures of one answer. */
export interface Overview {
  readonly at: number;
  readonly worker: string;
  readonly kafkaClusterId: string | null;
  /** As `GET /health`. */
  readonly health: {
    readonly status: 'healthy' | 'starting' | 'unhealthy';
    readonly message: string;
    /** Null: the worker is a member of its group, or has not been one yet. */
    readonly absence: { readonly since: number; readonly reason: string } | null;
  };
  readonly connectors: readonly ConnectorRow[];
  /** By `className`, of plugins that declare them (`console.effects` of their manifests). */
  readonly effects: Readonly<Record<string, ActionEffects>>;
  readonly workers: readonly WorkerRow[];
  /** Milliseconds between two rates of `history`. */
  readonly historyStepMs: number;
  /** Empty unless it was asked for. */
  readonly history: readonly RateHistory[];
}

/** Who or what caused a change. */
export interface Cause {
  /** `user`: a request. `automatic`: Millrace itself. `unknown`: a Java worker, or a worker before this feature. */
  readonly by: 'user' | 'automatic' | 'unknown';
  /** Name of the user, if the worker authenticates callers. */
  readonly user: string | null;
  /** For instance `attempt 2 of 10`, `configuration changed`. */
  readonly detail: string | null;
}

export interface Change {
  readonly at: number | null;
  readonly kind:
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
  /** Name of the connector, the logger, or the worker. */
  readonly subject: string;
  /** Null: the connector itself. */
  readonly task: number | null;
  readonly cause: Cause;
  /** Keys of a changed config, with their values before and after; null: absent. Secrets are hidden. */
  readonly keys: readonly { readonly key: string; readonly before: string | null; readonly after: string | null }[];
}

/** `GET /ui/api/changes`, newest first; `?connector=NAME`: of one connector. */
export interface Changes {
  /** What the worker has kept: older ones are lost to compaction, or to its bound. */
  readonly since: number | null;
  readonly changes: readonly Change[];
}

/** What actions on a connector mean for it in particular, in the words of its plugin (`console.effects`). */
export interface ActionEffects {
  readonly stop?: string;
  readonly restart?: string;
  readonly delete?: string;
  readonly resetOffsets?: string;
  readonly changeOffsets?: string;
}

/** Of an error code: from docs/errors.md, with backticks. */
export interface Explanation {
  readonly happened: string;
  readonly cure: string;
}

/** `GET /ui/api/connectors/:name`. 404 as Connect's REST API. */
export interface ConnectorDetails {
  readonly at: number;
  readonly row: ConnectorRow;
  /** Null: this worker does not have it. */
  readonly plugin: PluginInUse | null;
  /** Of the workers that run a part of it. Empty: it needs none. */
  readonly jvms: readonly ConnectorJvm[];
  /** Every failure, the newest first, at most 1,000. The traces of the first ones: at most 1 MB of them. */
  readonly failures: readonly Failure[];
  /** Secrets are `[hidden]`; `PATCH /connectors/:name/config` with the changed keys keeps them. */
  readonly config: Readonly<Record<string, string>>;
  /** What the documentation says of the codes of failures and reasons. */
  readonly explanations: Readonly<Record<string, Explanation>>;
  readonly lastRestart: Change | null;
  /** Null: topic tracking is disabled. */
  readonly topics: readonly string[] | null;
  /** Topics whose records the worker shows: those it writes or reads, and that of its dead letters. */
  readonly recordTopics: readonly string[];
  /** Topic of the dead letters: of `errors.deadletterqueue.topic.name`, or of the plugin's own key. */
  readonly deadLetterTopic: string | null;
  readonly panels: readonly Panel[];
  readonly effects: ActionEffects;
}

export interface LogLine {
  /** Increases within one worker's process. */
  readonly sequence: number;
  readonly at: number;
  readonly worker: string;
  readonly level: 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'TRACE';
  readonly logger: string;
  /** Null: of the connector. */
  readonly task: number | null;
  /** Message, and the error's text. */
  readonly text: string;
}

/** `GET /ui/api/connectors/:name/logs`: recent lines of all answering workers, oldest first. */
export interface LogLines {
  readonly lines: readonly LogLine[];
  /** Workers that did not answer. */
  readonly missing: readonly string[];
}

/**
 * `PUT /ui/api/connectors/:name/config/validate`: a patch as `PATCH /connectors/:name/config` takes it; answers what
 * validation says of the whole config, with secrets hidden. 403: the config has secrets or placeholders, and the caller
 * is not an admin, whose changed values, such as a host, could send them anywhere.
 */
export type ConfigPatch = Readonly<Record<string, string | null>>;
export interface Validation {
  readonly name: string;
  readonly error_count: number;
  readonly groups: readonly string[];
  readonly configs: readonly { readonly definition: Definition | null; readonly value: Value | null }[];
  /** Keys that are valid, but probably not what was intended. (Default: none) */
  readonly warnings?: readonly KeyWarning[];
}

export interface KeyWarning {
  readonly key: string;
  readonly message: string;
  /** The key to use in its place; null: none. */
  readonly meant: string | null;
}

/** A config key, as in `GET /connector-plugins/:plugin/config`. */
export interface Definition {
  readonly name: string;
  /** `STRING`, `PASSWORD`, … */
  readonly type: string;
  readonly required: boolean;
  readonly default_value: string | null;
  readonly importance: string;
  readonly documentation: string;
  readonly group: string | null;
  readonly order_in_group: number;
  readonly width: string;
  readonly display_name: string;
  readonly dependents: readonly string[];
  readonly hints?: KeyHints;
}

/** With `hints=true`. Absent members: nothing to know. */
export interface KeyHints {
  readonly valid_values?: readonly string[];
  /** The key is required unless one of these is set. */
  readonly required_unless?: readonly string[];
  readonly alias_of?: string;
  readonly deprecated?: boolean;
  readonly without_effect?: boolean;
  /** Whether the key is important for users, if not as its importance says. */
  readonly prominent?: boolean;
}

export interface Value {
  readonly name: string;
  readonly value: string | null;
  readonly recommended_values: readonly string[];
  readonly errors: readonly string[];
  readonly visible: boolean;
}
