/** Strings that stand for enums, and structs that stand for unions. */
import type { Schema } from '@millrace/sdk';
import { ENUM_PARAMETER, GENERALIZED_ENUM, GENERALIZED_UNION, UNION_NAME } from './vocabulary';

export function isUnion(schema: Schema): boolean {
  if (schema.type !== 'STRUCT') return false;
  return (
    schema.name === UNION_NAME || (schema.parameters !== null && Object.hasOwn(schema.parameters, GENERALIZED_UNION))
  );
}

const ENUM_KEYS = [ENUM_PARAMETER, GENERALIZED_ENUM];

/** The values of a string's enum; null: it is none. */
export function enumValues(schema: Schema): readonly string[] | null {
  const { type, parameters } = schema;
  if (type !== 'STRING' || parameters === null) return null;
  const key = ENUM_KEYS.find((name) => Object.hasOwn(parameters, name));
  if (key === undefined) return null;
  return Object.keys(parameters)
    .filter((name) => name.startsWith(`${key}.`))
    .map((name) => name.slice(key.length + 1));
}

export function isEnumParameter(name: string): boolean {
  return ENUM_KEYS.some((key) => name === key || name.startsWith(`${key}.`));
}

/** Parameters of a string with these values. */
export function enumParameters(values: readonly string[], generalized: boolean): Record<string, string> {
  const parameters: Record<string, string> = {};
  const key = generalized ? GENERALIZED_ENUM : ENUM_PARAMETER;
  parameters[key] = '';
  for (const [i, value] of values.entries()) parameters[`${key}.${value}`] = generalized ? String(i) : value;
  return parameters;
}
