import type { ConfigKey, ParsedValue } from '@millrace/sdk';

/**
 * A key that the runtime defines. Its check returns complete messages, because some of Java's do not follow the common
 * pattern.
 */
export interface FrameworkKey extends ConfigKey {
  readonly check?: (value: ParsedValue, key: string) => readonly string[];
  /** CLASS only: resolves a name to a class, or null if there is none. Without it, any text is accepted. */
  readonly classOf?: (name: string) => string | null;
}
