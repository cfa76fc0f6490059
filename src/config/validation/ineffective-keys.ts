/**
 * Warns about keys without effect: those that the plugin defines as such, set to another value than their default, and
 * those of the runtime for the other type of connector. Pure.
 */
import type { ConfigWarning } from '@millrace/sdk';
import { valueOf, type Entry, type NullableConfig } from './entry';

/** Keys that the runtime reads of sinks, or of sources, only. Others of these may be a plugin's own. */
const OF_SINKS = /^errors\.deadletterqueue\./;
const OF_SOURCES =
  /^(?:topic\.creation\.|exactly\.once\.support$|transaction\.boundary(?:\.interval\.ms)?$|offsets\.storage\.topic$)/;

export function ineffectiveKeyWarnings(
  type: 'source' | 'sink',
  entries: ReadonlyMap<string, Entry>,
  config: NullableConfig,
): readonly ConfigWarning[] {
  const [others, onlyIn] = type === 'source' ? [OF_SINKS, 'sinks'] : [OF_SOURCES, 'sources'];
  return Object.keys(config).flatMap((key) => {
    const value = valueOf(config, key)?.trim() ?? '';
    const entry = entries.get(key);
    if (value === '') return [];
    if (entry === undefined) return others.test(key) ? warning(key, `only ${onlyIn} have it`) : [];
    if (entry.hints?.without_effect !== true) return [];
    const isDefault = value.toLowerCase() === entry.definition?.default_value?.toLowerCase();
    return isDefault ? [] : warning(key, 'the connector accepts and ignores it');
  });
}

function warning(key: string, reason: string): readonly ConfigWarning[] {
  return [{ key, meant: null, message: `"${key}" has no effect: ${reason}.` }];
}
