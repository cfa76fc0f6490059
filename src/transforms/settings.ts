/** A transformation's settings by the same parser and checks as a validation request, so that the two cannot disagree. */
import type { ConfigKey, ConnectorConfig, ParsedValue } from '@millrace/sdk';
import { checkKey } from '../config/validation-entry';
import { configError } from './failures';

export class Settings {
  private readonly values = new Map<string, ParsedValue>();

  /** Throws ConfigError with the first problem, in the order of the keys. */
  constructor(keys: readonly ConfigKey[], config: ConnectorConfig) {
    for (const key of keys) {
      const { errors, parsed } = checkKey(key, config);
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

/** Of every transformation that reads fields of a struct. */
export const REPLACE_NULL: ConfigKey = {
  name: 'replace.null.with.default',
  type: 'BOOLEAN',
  default: true,
  importance: 'MEDIUM',
  documentation: 'Whether a field that is null and has a default counts as that default.',
};
