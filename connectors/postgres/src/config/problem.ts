import type { ConfigProblem, ConnectorConfig } from '@millrace/sdk';

/** The wording of Debezium for every configuration error (cdc-postgres §1.8). */
export function invalid(key: string, message: string): ConfigProblem {
  return { key, message: `The '${withoutSalt(key)}' value is invalid: ${message}` };
}

/** Keys for hashed columns contain the salt, a secret, so errors and logs hide it. */
export function withoutSalt(key: string): string {
  const hidden = key.replace(/(\.with\.salt\.).+$/i, '$1[hidden]');
  // With a misspelled key, too.
  return hidden === key ? key.replace(/^(column\.mask\.hash\.[^.]*\.).+$/i, '$1[hidden]') : hidden;
}

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
