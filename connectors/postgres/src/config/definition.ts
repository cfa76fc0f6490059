/** The shape of a setting's definition: one row for each setting. */
import type { ConfigType } from '@millrace/sdk';

export interface OneOf<V extends string = string> {
  readonly kind: 'oneOf';
  readonly values: readonly V[];
}

export type Constraint =
  | { readonly kind: 'required' }
  | { readonly kind: 'positive' }
  | { readonly kind: 'nonNegative' }
  | OneOf
  | { readonly kind: 'patterns' };

/** A setting as the connector reads it; shown-keys.ts has what clients are shown of it. */
export interface Definition<
  N extends string = string,
  T extends ConfigType = ConfigType,
  D extends Default = Default,
  C extends Constraint | undefined = Constraint | undefined,
> {
  readonly name: N;
  readonly type: T;
  readonly default: D;
  readonly documentation: string;
  readonly constraint: C;
}

type Default = string | number | boolean | null;

interface TypeOf extends Readonly<Record<ConfigType, unknown>> {
  readonly BOOLEAN: boolean;
  readonly SHORT: number;
  readonly INT: number;
  readonly LONG: number;
  readonly DOUBLE: number;
  readonly STRING: string;
  readonly CLASS: string;
  readonly PASSWORD: string;
  /** Not split. */
  readonly LIST: string;
}

/** The type of the value that a definition describes. */
export type Value<R extends Definition> =
  | (R['constraint'] extends OneOf<infer V> ? V : TypeOf[R['type']])
  | (R['default'] extends null ? (R['constraint'] extends { readonly kind: 'required' } ? never : null) : never);

export const required = { kind: 'required' } as const;
export const positive = { kind: 'positive' } as const;
export const nonNegative = { kind: 'nonNegative' } as const;
export const patterns = { kind: 'patterns' } as const;
/** In any case. `values` are in lower case. */
export const oneOf = <const V extends string>(...values: readonly V[]): OneOf<V> => ({ kind: 'oneOf', values });

export function key<
  const N extends string,
  T extends ConfigType,
  const D extends Default,
  C extends Constraint | undefined = undefined,
>(name: N, type: T, preset: D, documentation: string, constraint?: C): Definition<N, T, D, C> {
  return { name, type, default: preset, documentation, constraint: constraint as C };
}
