/** The shape of a setting's definition. */
import type { ConfigType } from '@millrace/sdk';
import type { Key } from './keys';

export type Constraint =
  | { readonly kind: 'required' }
  | { readonly kind: 'positive' }
  | { readonly kind: 'nonNegative' }
  | { readonly kind: 'oneOf'; readonly values: readonly string[] }
  | { readonly kind: 'patterns' };

/** A setting as the connector reads it; shown-keys.ts has what clients are shown of it. */
export interface Definition {
  readonly name: Key;
  readonly type: ConfigType;
  readonly default: Default;
  readonly documentation: string;
  readonly constraint?: Constraint;
}

type Default = string | number | boolean | null;

export const required: Constraint = { kind: 'required' };
export const positive: Constraint = { kind: 'positive' };
export const nonNegative: Constraint = { kind: 'nonNegative' };
export const patterns: Constraint = { kind: 'patterns' };
export const oneOf = (...values: string[]): Constraint => ({ kind: 'oneOf', values });

export function key(
  name: Key,
  type: ConfigType,
  defaultValue: Default,
  documentation: string,
  constraint?: Constraint,
): Definition {
  return { name, type, default: defaultValue, documentation, ...(constraint ? { constraint } : {}) };
}
