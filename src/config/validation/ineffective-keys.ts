/** Warns about keys that the plugin defines as without effect, set to another value than their default. Pure. */
import type { ConfigWarning } from '@millrace/sdk';
import { valueOf, type Entry, type NullableConfig } from './entry';

export function ineffectiveKeyWarnings(entries: Iterable<Entry>, config: NullableConfig): readonly ConfigWarning[] {
  return [...entries].flatMap(({ name: key, definition, hints }) => {
    const value = valueOf(config, key)?.trim() ?? '';
    if (hints?.without_effect !== true || value === '') return [];
    if (value.toLowerCase() === definition?.default_value?.toLowerCase()) return [];
    return [{ key, meant: null, message: `"${key}" has no effect: the connector accepts and ignores it.` }];
  });
}
