import type { ConfigProblem } from '@millrace/sdk';

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
