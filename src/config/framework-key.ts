import type { ConfigKey, ParsedValue } from '@millrace/sdk';

/** A key that the runtime defines. Its check returns whole messages: some of Java's have a pattern of their own. */
export interface FrameworkKey extends ConfigKey {
  readonly check?: (value: ParsedValue, key: string) => readonly string[];
  /** CLASS only: the class that a name stands for; null if there is none. Without it, any text is accepted. */
  readonly classOf?: (name: string) => string | null;
}
