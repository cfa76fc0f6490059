import type { ConfigProblem } from '@millrace/sdk';

/** The way Debezium words every configuration error (cdc-postgres §1.8). */
export function invalid(key: string, message: string): ConfigProblem {
  return { key, message: `The '${withoutSalt(key)}' value is invalid: ${message}` };
}

/** Keys of hashed columns carry the salt, which is a secret: errors and logs do not repeat it. */
export function withoutSalt(key: string): string {
  return key.replace(/(\.with\.salt\.).+$/i, '$1[hidden]');
}
