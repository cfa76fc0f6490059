/** A request to a running task, for example to read a table again. */
export interface TaskSignal {
  /** Names the request in logs and notifications. Not empty. */
  readonly id: string;
  /** What to do; the plugin defines the types. Not empty. */
  readonly type: string;
  /** Parameters. Nested at most 32 levels deep. */
  readonly data: JsonObject;
}

/** A type of signal that a connector accepts, as its manifest declares it: `signals` of `PluginEntry`. */
export interface DeclaredSignal {
  readonly type: string;
  /** What it does, one or two sentences, at most 500 characters. */
  readonly description: string;
  /** An example of its `data`. (Default: it has none) */
  readonly example?: JsonObject;
}

/** JSON documents as JavaScript values. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: JsonValue;
}
