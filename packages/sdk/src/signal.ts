/** A request to a running task, for example to read a table again. */
import type { JsonObject } from './json';

export interface TaskSignal {
  /** Names the request in logs and notifications. Not empty. */
  readonly id: string;
  /** What to do; the plugin defines the types. Not empty. */
  readonly type: string;
  /** Parameters. Nested at most 32 levels deep. */
  readonly data: JsonObject;
}
