/** The difference between two configs of a connector, with what decides which of its values are secrets. Pure. */
import type { ConnectorConfig } from '@millrace/sdk';
import { embeddedPrefix } from '../../config/connector-config';
import type { ChangedConfig } from '../entities';

/** Keys and values of one change. Characters. */
const MAX_VALUE = 4_000;
const MAX_KEYS = 100;

/** Long values are replaced by their length: a cut one could hold the start of a secret. */
export function changedConfig(before: ConnectorConfig, after: ConnectorConfig): ChangedConfig {
  const all = new Set([...Object.keys(before), ...Object.keys(after)]);
  const keys = [...all].filter((key) => before[key] !== after[key]).slice(0, MAX_KEYS);
  const kept = new Set([...keys, ...[...all].filter((key) => key === 'connector.class' || isPluginKey(key))]);
  return { keys, before: pick(before, kept), after: pick(after, kept) };
}

function isPluginKey(key: string): boolean {
  return embeddedPrefix(key) !== null;
}

function pick(config: ConnectorConfig, keys: ReadonlySet<string>): ConnectorConfig {
  return Object.fromEntries(
    Object.entries(config).flatMap(([key, value]) => (keys.has(key) ? [[key, shortened(value)]] : [])),
  );
}

function shortened(value: string): string {
  return value.length <= MAX_VALUE ? value : `(${value.length.toLocaleString('en-US')} characters)`;
}
