/** Rows of the tables of settings. */
import type { ConfigKey, ConfigType, ConnectorConfig, Importance } from '@millrace/sdk';
import { SettingError } from './read-settings';

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

/**
 * The keys, with what is wrong with each beside the others.
 * @param read throws SettingError
 */
export function checkedTogether(keys: readonly ConfigKey[], read: (config: ConnectorConfig) => unknown): ConfigKey[] {
  const problem = (name: string, config: ConnectorConfig): string | null => {
    try {
      read(config);
      return null;
    } catch (error) {
      if (error instanceof SettingError) return error.key === name ? error.problem : null;
      throw error;
    }
  };
  return keys.map((one) => ({
    ...one,
    validator: (value, config) => one.validator?.(value, config) ?? problem(one.name, config),
  }));
}
