/**
 * `ttl.ms` of the file and directory providers. Millrace only: Java's providers have no time to live. Source:
 * connect-runtime §8.3.
 */
import { ConfigError } from '@millrace/sdk';

/** Milliseconds. Null: unlimited. Throws ConfigError. */
export function timeToLive(params: Readonly<Record<string, string>>): number | null {
  const text = params['ttl.ms']?.trim() ?? '';
  if (text === '') return null;
  const ms = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (ms > 0) return ms;
  throw new ConfigError(
    `The setting "ttl.ms" of a config provider is invalid: ${text} is not a positive number of milliseconds.`,
    { code: 'CONFIG_PROVIDER_INVALID' },
  );
}
