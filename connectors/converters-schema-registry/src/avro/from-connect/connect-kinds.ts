/** What Connect schemas stand for in Avro, by their names and parameters. Source: AvroData. */
import type { Schema } from '@millrace/sdk';
import { Param, UNION_NAME } from '../connect-props';

export function parameter(schema: Schema, name: string): string | undefined {
  const { parameters } = schema;
  return parameters !== null && Object.hasOwn(parameters, name) ? parameters[name] : undefined;
}

export function isUnion(schema: Schema): boolean {
  return (
    schema.type === 'STRUCT' && (schema.name === UNION_NAME || parameter(schema, Param.GENERAL_UNION) !== undefined)
  );
}

export function isFixed(schema: Schema): boolean {
  return schema.type === 'BYTES' && schema.name !== null && parameter(schema, Param.FIXED_SIZE) !== undefined;
}

/** Maps whose keys are strings are maps in Avro, too. Others are arrays of entries. */
export function isStringMap(schema: Schema, optionalMapKeys: boolean): boolean {
  return schema.keySchema?.type === 'STRING' && (!schema.keySchema.optional || optionalMapKeys);
}

/** Of an enum the name of its type and its symbols, where enums are written as such; null: it is a string. */
export function enumOf(
  schema: Schema,
  settings: { readonly enhanced: boolean; readonly generalized: boolean },
): { readonly name: string | undefined; readonly symbols: readonly string[] } | null {
  if (schema.type !== 'STRING' || !(settings.enhanced || settings.generalized)) return null;
  if (parameter(schema, Param.ENUM) === undefined && parameter(schema, Param.GENERAL_ENUM) === undefined) return null;
  const name = settings.generalized ? Param.GENERAL_ENUM : Param.ENUM;
  const symbols = Object.keys(schema.parameters ?? {})
    .filter((key) => key.startsWith(`${name}.`))
    .map((key) => key.slice(name.length + 1));
  return { name: parameter(schema, name), symbols };
}
