/**
 * `ttl.ms` of the file and directory providers, a parameter of ours: Java's give none. Source: connect-runtime §8.3.
 */
import { ConfigError } from '@millrace/sdk';

/** Milliseconds; null: values are good for ever. Throws ConfigError. */
export function timeToLive(params: Readonly<Record<string, string>>): number | null {
  const text = params['ttl.ms']?.trim() ?? '';
  if (text === '') return null;
  const ms = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (ms > 0) return ms;
  throw new ConfigError(
    `The setting "ttl.ms" of a config provider is invalid: ${text} is not a number of milliseconds above 0.`,
    { code: 'CONFIG_PROVIDER_INVALID' },
  );
}
