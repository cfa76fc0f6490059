/**
 * A transformation's settings, with the parser and checks of a validation request, so that the two cannot differ.
 */
import type { ConfigKey, ConnectorConfig, ParsedValue } from '@millrace/sdk';
import { parseList } from '../config/config-parse';
import { checkKey } from '../config/validation/entry';
import { configError } from './failures';
import type { FrameworkKey } from '../config/framework-key';

export class Settings {
  private readonly values = new Map<string, ParsedValue>();

  /** Throws ConfigError with the first problem, in the order of the keys. */
  constructor(keys: readonly ConfigKey[], config: ConnectorConfig) {
    for (const key of keys) {
      const { errors, parsed } = checkKey(key, withoutRepeats(key, config));
      if (errors[0] !== undefined) throw configError(errors[0]);
      this.values.set(key.name, parsed);
    }
  }

  text(name: string): string {
    return this.optionalText(name) ?? '';
  }
  optionalText(name: string): string | null {
    return this.values.get(name) as string | null;
  }
  integer(name: string): number | null {
    return this.values.get(name) as number | null;
  }
  list(name: string): readonly string[] {
    return this.values.get(name) as readonly string[];
  }
  flag(name: string): boolean {
    return this.values.get(name) as boolean;
  }
}

/** A setting of every transformation that reads fields of a struct. */
export const REPLACE_NULL: ConfigKey = {
  name: 'replace.null.with.default',
  type: 'BOOLEAN',
  default: true,
  importance: 'MEDIUM',
  documentation: 'Whether a field that is null and has a default counts as that default.',
};

/** A list whose values, such as field names, are a set. */
interface NamesKey extends FrameworkKey {
  /**
   * Validation rejects a duplicate value, with Java's message. A task whose config has one uses the value once.
   */
  readonly distinct: true;
}

/** @param mayBeEmpty (Default: false) */
export function namesKey(key: Omit<ConfigKey, 'type'>, { mayBeEmpty = false } = {}): NamesKey {
  const check: FrameworkKey['check'] = (value, name) => {
    if (!Array.isArray(value)) return [`Configuration '${name}' values must not be null.`];
    if (value.length === 0 && !mayBeEmpty) {
      return [`Configuration '${name}' must not be empty. Valid values include: any non-empty value`];
    }
    if (new Set(value).size < value.length) return [`Configuration '${name}' values must not be duplicated.`];
    return value.includes('') ? [`Configuration '${name}' values must not be empty.`] : [];
  };
  return { ...key, type: 'LIST', check, distinct: true };
}

function withoutRepeats(key: ConfigKey, config: ConnectorConfig): ConnectorConfig {
  const text = config[key.name];
  if (text === undefined || !('distinct' in key)) return config;
  return { ...config, [key.name]: [...new Set(parseList(text))].join(',') };
}

/** Members of a key whose text must be one of these. */
export function oneOf(...choices: readonly string[]): Pick<ConfigKey, 'validator' | 'accepts'> {
  return {
    validator: (value) => (choices.includes(value as string) ? null : `String must be one of: ${choices.join(', ')}`),
    accepts: { values: choices },
  };
}
