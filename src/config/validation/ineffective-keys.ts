/** Warns about keys without effect: of Java's runtime, and those that the plugin accepts and ignores. Pure. */
import { connectorDifferences } from '../differences/connector-differences';
import { differenceText } from '../differences/difference';
import type { ConfigWarning } from './config-infos';
import { valueOf, withoutNulls, type Entry, type NullableConfig } from './entry';

const MAX_WARNINGS = 100;

export function ineffectiveKeyWarnings(
  entries: ReadonlyMap<string, Entry>,
  config: NullableConfig,
): readonly ConfigWarning[] {
  return [...ofRuntime(entries, config), ...ofPlugin(entries, config)].slice(0, MAX_WARNINGS);
}

/** A key that a plugin defines is the plugin's. */
function ofRuntime(entries: ReadonlyMap<string, Entry>, config: NullableConfig): readonly ConfigWarning[] {
  return connectorDifferences(withoutNulls(config))
    .filter(({ key, kind }) => (kind === 'ignored' || kind === 'rejected') && !entries.has(key))
    .map((difference) => ({ key: difference.key, meant: null, message: differenceText(difference) }));
}

/** Its default asks for what happens anyway. */
function ofPlugin(entries: ReadonlyMap<string, Entry>, config: NullableConfig): readonly ConfigWarning[] {
  return [...entries.values()].flatMap(({ name: key, definition, hints }) => {
    const value = valueOf(config, key)?.trim() ?? '';
    if (hints?.without_effect !== true || value === '') return [];
    if (value.toLowerCase() === definition?.default_value?.toLowerCase()) return [];
    return [{ key, meant: null, message: `"${key}" has no effect: the connector accepts and ignores it.` }];
  });
}
