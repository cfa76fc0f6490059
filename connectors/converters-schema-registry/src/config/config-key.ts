/** Rows of the tables of settings. */
import type { ConfigKey, ConfigType, Importance } from '@millrace/sdk';

export type Details = Partial<Omit<ConfigKey, 'name' | 'type' | 'default' | 'importance' | 'documentation'>>;

/** @param value the default; undefined: the key is required */
export function key(
  name: string,
  type: ConfigType,
  value: ConfigKey['default'],
  importance: Importance,
  documentation: string,
  details: Details = {},
): ConfigKey {
  return { name, type, ...(value !== undefined && { default: value }), importance, documentation, ...details };
}

export const UNUSED: Details = { withoutEffect: true, visible: false };
