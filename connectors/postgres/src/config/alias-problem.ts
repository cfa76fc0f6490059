import type { ConnectorConfig } from '@millrace/sdk';

/**
 * Reports a problem of a key that begins with an alias of a list, such as `<alias>.type`. If the config does not have
 * the key, the problem is one of the list: as the name of a key, the alias would be shown, and the value of a list may
 * come from a config provider.
 */
export function complainOfAlias(
  values: ConnectorConfig,
  { list, key }: { readonly list: string; readonly key: string },
  message: string,
  complain: (name: string, message: string) => void,
): void {
  if (key in values) complain(key, message);
  else complain(list, `${key}: ${message}`);
}
