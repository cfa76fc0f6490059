/** Values of settings, which arrive as texts. Errors name the key and, unless it is a secret, the value. */
import { ConfigError, type ConnectorConfig } from '@millrace/sdk';

/** The prefix that settings of the registry's client may have; with it they win. */
export const CLIENT_PREFIX = 'schema.registry.';

/** Undefined: not set, or blank. */
export function text(config: ConnectorConfig, key: string): string | undefined {
  const value = config[key]?.trim();
  return value === '' ? undefined : value;
}

/** As `text`, of a setting of the client: `schema.registry.KEY`, or `KEY`. */
export function clientText(config: ConnectorConfig, key: string): string | undefined {
  return text(config, CLIENT_PREFIX + key) ?? text(config, key);
}

export function flag(config: ConnectorConfig, key: string, fallback: boolean): boolean {
  const value = text(config, key)?.toLowerCase();
  if (value === undefined) return fallback;
  if (value !== 'true' && value !== 'false') throw invalid(key, `must be true or false, not '${value}'`);
  return value === 'true';
}

/** @param value what is set for the key */
export function integer(key: string, value: string | undefined, fallback: number, min: number): number {
  if (value === undefined) return fallback;
  const parsed = Number(value);
  if (!/^[+-]?\d{1,15}$/.test(value)) throw invalid(key, `must be a whole number, not '${value}'`);
  if (parsed < min) throw invalid(key, `must be at least ${min}, not ${parsed}`);
  return parsed;
}

/** An invalid setting. */
export class SettingError extends ConfigError {
  constructor(
    readonly key: string,
    /** Continues a sentence about the setting. */
    readonly problem: string,
    cause?: unknown,
  ) {
    super(`The converter's setting ${key} ${problem}.`, { code: 'REGISTRY_CONFIG', place: { key }, cause });
  }
}

export function invalid(key: string, problem: string, cause?: unknown): SettingError {
  return new SettingError(key, problem, cause);
}
