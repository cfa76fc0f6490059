/**
 * Typed access to Java's client settings. Every error is one sentence that names the key. Only those about numbers and
 * flags, which are not secret, include the value.
 */
import { KafkaError } from './errors';
import type { ClientConfig } from './port';

export function invalid(key: string, problem: string, cause?: unknown): KafkaError {
  return new KafkaError('INVALID_CLIENT_CONFIG', `Kafka client setting '${key}' ${problem}`, { cause });
}

export function text(config: ClientConfig, key: string): string | undefined {
  const value = config[key];
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

export function required(config: ClientConfig, key: string, why: string): string {
  const value = text(config, key);
  if (value === undefined) throw invalid(key, `is missing: ${why}`);
  return value;
}

export function integer(
  config: ClientConfig,
  key: string,
  fallback: number,
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
): number {
  const value = text(config, key);
  if (value === undefined) return fallback;
  const parsed = Number(value);
  if (!/^[+-]?\d+$/.test(value) || !Number.isSafeInteger(parsed)) {
    throw invalid(key, `must be a whole number, not '${value}'`);
  }
  if (parsed < min) throw invalid(key, `must be at least ${min}, not ${parsed}`);
  if (parsed > max) throw invalid(key, `must be at most ${max}, not ${parsed}`);
  return parsed;
}

/** The largest int32 and larger values mean "unlimited", as in Java. */
export function duration(config: ClientConfig, key: string, fallback: number, min = 0): number {
  const value = text(config, key);
  if (value !== undefined && /^\d+$/.test(value) && Number(value) >= 2 ** 31 - 1) return Infinity;
  return integer(config, key, fallback, min);
}

export function bool(config: ClientConfig, key: string, fallback: boolean): boolean {
  const value = config[key]?.trim().toLowerCase();
  if (value === undefined) return fallback;
  if (value !== 'true' && value !== 'false') throw invalid(key, `must be true or false, not '${value}'`);
  return value === 'true';
}

/**
 * Case-insensitive; returns the spelling in `allowed`. An empty value is an error, as in Java: it is often an unset
 * variable, and the default (such as PLAINTEXT) may not be what was intended.
 */
export function oneOf<T extends string>(config: ClientConfig, key: string, fallback: T, allowed: readonly T[]): T {
  const value = config[key]?.trim();
  if (value === undefined) return fallback;
  const found = allowed.find((candidate) => candidate.toLowerCase() === value.toLowerCase());
  if (found === undefined) throw invalid(key, `must be one of ${allowed.join(', ')}, not '${value}'`);
  return found;
}

export function list(config: ClientConfig, key: string): string[] {
  return (config[key] ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
