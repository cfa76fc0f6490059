/** A request to a running task, for example to read a table again. */
export interface TaskSignal {
  /** Names the request in logs and notifications. Not empty. */
  readonly id: string;
  /** What to do; the plugin defines the types. Not empty. */
  readonly type: string;
  /** Parameters. Nested at most 32 levels deep. */
  readonly data: JsonObject;
}

/** JSON documents as JavaScript values. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: JsonValue;
}
