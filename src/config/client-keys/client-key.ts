/** One setting of Java's Kafka clients, as validation shows it. */
import type { ConfigKey, ConfigType, Importance } from '@millrace/sdk';

/** `standard` undefined: the key is required. There are no ranges, because Java does not check them in overrides. */
export function key(
  name: string,
  type: ConfigType,
  importance: Importance,
  standard: ConfigKey['default'],
  documentation: string,
): ConfigKey {
  return {
    name,
    type,
    importance,
    documentation,
    displayName: name,
    ...(standard === undefined ? {} : { default: standard }),
  };
}
