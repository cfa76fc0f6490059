/** How a writer's JSON looks, by the registered schema that it is for, where JSON Schema leaves a choice. */
import type { Schema } from '@millrace/sdk';
import type { JsonSchemaSettings } from './json-schema-config';
import { SchemaFit } from './schema-fit';
import type { Shape } from './shape';
import { isUnion } from './sum-types';

export interface TargetForms {
  /** Whether null may be written; else its member is left out. */
  readonly allowsNull: boolean;
  /** Whether members may be left out at all. */
  readonly mayOmit: boolean;
  readonly isDecimalText: boolean;
  readonly isIsoText: boolean;
  /** Whether a map is an object. Undefined: as its keys say. */
  readonly isObjectMap: boolean | undefined;
  /** Targets of the parts. Null: they are written as their own schemas say. */
  readonly keys: Shape | null;
  readonly values: Shape | null;
  field(name: string): Shape | null;
}

const NO_FIELD = (): null => null;

/** @param target null: there is none */
export function targetForms(schema: Schema, target: Shape | null, settings: JsonSchemaSettings): TargetForms {
  const own: TargetForms = {
    allowsNull: true,
    mayOmit: false,
    isDecimalText: settings.decimalFormat === 'BASE64',
    isIsoText: settings.isoDates,
    isObjectMap: undefined,
    keys: null,
    values: null,
    field: NO_FIELD,
  };
  if (target === null) return own;
  const shape = alternativeOf(schema, target, settings);
  const { form } = shape;
  const isTyped = form !== 'any' && form !== 'union';
  const fields = new Map(shape.fields.map((field) => [field.name, field.shape]));
  return {
    allowsNull: target.isNullable || shape.isNullable || form === 'any',
    mayOmit: true,
    isDecimalText: isTyped ? shape.isText : own.isDecimalText,
    isIsoText: isTyped ? shape.isText : own.isIsoText,
    isObjectMap: form === 'map' || form === 'struct' ? true : form === 'entries' ? false : undefined,
    keys: shape.keys,
    values: shape.values,
    field: (name) => fields.get(name) ?? (form === 'map' ? shape.values : null),
  };
}

/** Values of one type are one alternative of a union. */
function alternativeOf(schema: Schema, target: Shape, settings: JsonSchemaSettings): Shape {
  if (target.form !== 'union' || isUnion(schema)) return target;
  const fit = new SchemaFit(settings);
  return target.fields.find(({ shape }) => fit.problem(schema, shape) === null)?.shape ?? target;
}
